import { mount } from 'svelte';
import Frame from './Frame.svelte';
// eslint-disable-next-line import/extensions -- a module with runes has it in its name
import { App } from './lib/app.svelte';
import { Service } from './lib/service';
import { readKept, Sessions } from './lib/session';
import { readSettings } from './lib/settings';
import { firstLanguage, Words } from './lib/words';
import { loadPage } from './pages';
import '../../templates/pages/assets/style.css';
import './style.css';

/** Says that the pages cannot start, in the words that are in their document. */
function giveUp(error: unknown): void {
  const { content } = document.querySelector('template')!;
  const failed = content.querySelector(`[lang=${document.documentElement.lang}]`)!;
  document.body.replaceChildren(failed);
  document.title = failed.querySelector('h1')!.textContent;
  reportError(error);
}

// A function, as pages import from this file once it is built: none would load before a top-level `await` ends.
async function start(): Promise<void> {
  const language = firstLanguage();
  document.documentElement.lang = language;
  const kept = readKept();
  // Texts and page load in parallel with the settings. The frame reports failures.
  loadPage(location.pathname).catch((): undefined => undefined);
  const [ settings ] = await Promise.all([ readSettings(), Words.load(language, {}) ]);
  const words = await Words.load(language, settings);
  const sessions = new Sessions(settings);
  const app = new App(settings, new Service(settings.service), sessions, words, await sessions.find(kept));
  mount(Frame, { target: document.body, props: { app }});
  // Formatting the first date takes as long as rendering a page, so it is done while the page waits for its data.
  // Safari has no idle callbacks.
  const whenIdle = globalThis.requestIdleCallback ?? setTimeout;
  whenIdle((): unknown => [ words.date('2000-01-01'), words.day('2000-01-01') ]);
}

start().catch(giveUp);
