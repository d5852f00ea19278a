import { mount } from 'svelte';
import Frame from './Frame.svelte';
// eslint-disable-next-line import/extensions -- a module with runes has it in its name
import { App } from './lib/app.svelte';
import { Service } from './lib/service';
import { Sessions } from './lib/session';
import { readSettings } from './lib/settings';
import { firstLanguage, Words } from './lib/words';
import '../../templates/pages/assets/style.css';
import './style.css';

const language = firstLanguage();
document.documentElement.lang = language;
// The texts come while the settings do.
const [ settings ] = await Promise.all([ readSettings(), Words.load(language, {}) ]);
const words = await Words.load(language, settings);
const sessions = new Sessions(settings);
const app = new App(settings, new Service(settings.service), sessions, words, await sessions.find());
mount(Frame, { target: document.body, props: { app }});
