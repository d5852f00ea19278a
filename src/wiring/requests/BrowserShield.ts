import type { IncomingMessage, ServerResponse } from 'node:http';
import { readSwitch } from '../settings';

/** Options of {@link BrowserShield}. */
export interface BrowserShieldArgs {
  /** Base URL of the server. */
  baseUrl: string;
  /** Whether pages in pods run as pages of this server. */
  trustPodPages: boolean;
}

/** Where the server itself has pages: log-in, consent, accounts, and what these load. */
const ownPages = /^\/(?:\.account|\.oidc|\.well-known\/css)\/[^%\\]*$/u;

/**
 * Scripts run, but in an origin of their own. Windows that they open are pages like others: those of pods are sandboxed
 * themselves.
 */
const sandbox = 'sandbox allow-downloads allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox ' +
  'allow-scripts allow-top-navigation-by-user-activation';

/**
 * Keeps browsers from lending the log-in of the server's account pages to others: the cookie of a log-in may be read by
 * every page of this origin, and pods are of the same origin; and a page of a neighbouring origin, such as another
 * subdomain, has it sent along with its requests.
 */
export class BrowserShield {
  private readonly origin: string;
  private readonly trustPodPages: boolean;

  public constructor(args: BrowserShieldArgs) {
    this.origin = new URL(args.baseUrl).origin;
    this.trustPodPages = readSwitch('trustPodPages', args.trustPodPages);
  }

  /** To be called for every request that is left to the server, before it is. */
  public shield({ headers, url = '/' }: IncomingMessage, response: ServerResponse): void {
    if (headers.cookie !== undefined && headers.origin !== undefined && headers.origin !== this.origin) {
      delete headers.cookie;
    }
    if (ownPages.test(url.split('?', 1)[0]) && !url.includes('/..')) {
      response.setHeader('Content-Security-Policy', 'frame-ancestors \'self\'');
    } else if (!this.trustPodPages && url !== '/') {
      response.setHeader('Content-Security-Policy', sandbox);
      response.setHeader('X-Content-Type-Options', 'nosniff');
    }
  }
}
