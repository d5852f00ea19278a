import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EjsTemplateEngine } from '@solid/community-server';
import type { Theme } from '../../platform/theme';
import { readServiceName, readTheme, themePath } from '../../platform/theme';
import { parseOwn } from '../../platform/ownJson';
import type { PageLanguage } from './language';
import { languageNames, pageLanguage } from './language';
import { pageAssets, pageScript, pageStyle } from './pagePolicy';

/** Options of {@link ServicePages}. */
export interface ServicePagesArgs {
  /** Base URL of the server. */
  baseUrl: string;
  /** Name of the service on pages, unless a theme has one. */
  serviceName: string;
  /** Folder of a theme, which has a name for each language; empty for none. */
  theme?: string;
}

/** Texts of a language by key; those below `script.` are passed to the script of the pages. */
export type Words = Readonly<Record<string, string>>;

const folder = join(__dirname, '../../../templates/pages');
/** Pages that show the same when they are loaded again in another language. */
const reloadable = /^(?:login$|password\/|account\/(?:resource|pod-settings)$|oidc\/consent$)/u;

/**
 * Pages with the name of the service: for log-in, consent and accounts, and for errors.
 *
 * Outside data appears as text only, escaped by the templates (`<%=`) or set by the script through the DOM. Templates
 * have no script of their own, no inline style and no `on…` attribute: the policy of the pages refuses them.
 */
export class ServicePages {
  /** Base URL of the server, with a trailing slash. */
  public readonly baseUrl: string;

  private readonly theme: Theme;
  private readonly engine: EjsTemplateEngine;
  private readonly scriptUrl = versioned(pageScript);
  private readonly styleUrl = versioned(pageStyle);
  private readonly words: Readonly<Record<PageLanguage, Words>>;

  public constructor(args: ServicePagesArgs) {
    this.baseUrl = new URL('/', args.baseUrl).href;
    this.theme = readTheme(args.theme ?? '', readServiceName(args.serviceName));
    this.engine = new EjsTemplateEngine(this.baseUrl);
    this.words = { en: readWords('en'), nl: readWords('nl'), fr: readWords('fr'), de: readWords('de') };
  }

  /** Name of the service, in the language of the current request. */
  public get serviceName(): string {
    return this.theme.name[pageLanguage()];
  }

  /**
   * Renders a page in the language of the current request.
   *
   * @param template - Name of the template below `templates/pages`, without extension.
   * @param contents - Values of the template.
   */
  public async render(template: string, contents: Readonly<Record<string, unknown>>): Promise<string> {
    const language = pageLanguage();
    const words = this.words[language];
    const shared = {
      ...reloadable.test(template) && { languages: Object.entries(languageNames) },
      ...contents,
      page: template,
      language,
      serviceName: this.serviceName,
      baseUrl: this.baseUrl,
      scriptUrl: this.scriptUrl,
      styleUrl: this.styleUrl,
      themeUrl: this.theme.files.has('style.css') ? `/${themePath}style.css` : '',
      logoUrl: this.theme.files.has('logo') ? `/${themePath}logo` : `/${pageAssets}logo.svg`,
      hasLogo: this.theme.files.has('logo'),
      operator: this.theme.operator?.[language] ?? this.serviceName,
      scriptWords: JSON.stringify(textsOfScript(words)),
      t: (key: string): string => this.textOf(words, key),
    };
    const body = await this.fill(template, shared);
    const [ , title = '' ] = /<h1[^>]*>([^<]*)</u.exec(body) ?? [];
    return this.fill('frame', { ...shared, body, title });
  }

  /** Returns a text in the language of the current request, such as the words of a mail. */
  public text(key: string): string {
    return this.textOf(this.words[pageLanguage()], key);
  }

  private textOf(words: Words, key: string): string {
    const text = words[key];
    if (text === undefined) {
      throw new Error(`No text for ${key}`);
    }
    return text.replaceAll('{service}', this.serviceName);
  }

  private async fill(template: string, contents: Record<string, unknown>): Promise<string> {
    return this.engine.handleSafe({ contents, template: { templateFile: join(folder, `${template}.html.ejs`) }});
  }
}

/** Adds the version to a URL: browsers cache script and style for a day, and a new version needs a new URL. */
function versioned(asset: string): string {
  const file = readFileSync(join(folder, 'assets', asset.slice(pageAssets.length)));
  return `/${asset}?v=${hash('sha256', file).slice(0, 12)}`;
}

function readWords(language: PageLanguage): Words {
  const text = readFileSync(join(folder, 'words', `${language}.json`), 'utf8');
  // In French, no line may begin with one of these characters.
  return parseOwn(language === 'fr' ? text.replaceAll(/(?<=\S) (?=[?!:;»])|(?<=«) /gu, '\u00A0') : text);
}

function textsOfScript(words: Words): Words {
  const prefix = 'script.';
  return Object.fromEntries(Object.entries(words)
    .filter(([ key ]): boolean => key.startsWith(prefix))
    .map(([ key, text ]): [string, string] => [ key.slice(prefix.length), text ]));
}
