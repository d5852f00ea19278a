import type { IncomingMessage, ServerResponse } from 'node:http';
import { asksFor } from '../../platform/accept';
import { readRegularFileSync, whyUnreadable } from '../../platform/readRegularFile';
import { RefusedSetting } from '../../platform/RefusedSetting';
import { inLanguageOf, languageNames, pageLanguage } from './language';
import { pagePolicy } from './pagePolicy';
import type { ServicePages } from './ServicePages';

/** Options of {@link HomePage}. */
export interface HomePageArgs {
  /** Renders the page. */
  pages: ServicePages;
  /** `--homePage`: an HTML file that is shown instead; empty for none. */
  file: string;
  /** True to show this package's page without such a file. */
  shown?: boolean;
}

const address = /^\/(?:\?language=(?<language>[a-z]{2}))?$/u;

/** Allows styles and images of this server, and no scripts. */
const ownPolicy = [
  `default-src 'none'`,
  `style-src 'self' 'unsafe-inline'`,
  `img-src 'self' data:`,
  `font-src 'self'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ');

/**
 * The page at `/`, which describes this server in the language of the browser or of the followed link.
 *
 * Requests that do not name `text/html`, such as those of Solid clients, are left to the server. The page has no
 * script, and none may run on it, because it shares the origin of the log-in.
 */
export class HomePage {
  private readonly pages: ServicePages;
  private readonly own?: string;
  private readonly shown: boolean;

  /** @throws Error naming `--homePage`, when the file can't be read. */
  public constructor(args: HomePageArgs) {
    this.pages = args.pages;
    this.own = args.file === '' ? undefined : readOwn(args.file);
    this.shown = args.shown === true || this.own !== undefined;
  }

  /** Checks whether a request is for this page. */
  public owns({ method = '', url = '', headers }: Pick<IncomingMessage, 'headers' | 'method' | 'url'>): boolean {
    return this.shown && [ 'GET', 'HEAD' ].includes(method) && address.test(url) &&
      asksFor(headers.accept, 'text/html', 'text/turtle');
  }

  /** Handles a request for which {@link owns} is true. */
  public async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '' } = request;
    const language = address.exec(url)?.groups?.language;
    const wanted = language === undefined ? request : { headers: { 'accept-language': language }};
    await inLanguageOf(wanted, async(): Promise<void> => {
      const body = Buffer.from(this.own ?? await this.pages.render('home', {
        still: true,
        languages: Object.entries(languageNames),
      }));
      response.writeHead(200, this.headersOf(body));
      response.end(request.method === 'HEAD' ? undefined : body);
    });
  }

  private headersOf(body: Buffer): Record<string, string | number> {
    return {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Length': body.length,
      'Content-Security-Policy': this.own === undefined ? pagePolicy(this.pages.baseUrl) : ownPolicy,
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-store',
      ...this.own === undefined && { 'Content-Language': pageLanguage() },
    };
  }
}

function readOwn(file: string): string {
  try {
    return readRegularFileSync(file).toString();
  } catch (error: unknown) {
    throw new RefusedSetting(`--homePage: ${file} ${whyUnreadable(error)}`, { cause: error });
  }
}
