import type { IncomingMessage, ServerResponse } from 'node:http';
import { readSwitch } from '../../platform/readSwitch';
import { pagePolicy } from '../pages/pagePolicy';
import { receiveCookies } from './accountCookie';
import { findAccountMethods } from './accountMethods';
import type { AccountOffers } from './AccountOffers';
import type { AccountRefusal } from './findAccountRefusal';
import { findAccountRefusal } from './findAccountRefusal';

/** Options of {@link BrowserShield}. */
export interface BrowserShieldArgs {
  /** Base URL of the server. */
  baseUrl: string;
  /** True when pages in pods run as pages of this server. */
  trustPodPages: boolean;
  /** Knows the offered pages and operations of accounts. */
  offers: AccountOffers;
}

/** Reason to refuse a request to the server's own pages: methods are those that the path supports. */
export type ShieldRefusal = AccountRefusal | 'passwordsOff' | 'withheld' | { methods: string[] };

/** Paths of the server's own pages: log-in, consent, accounts, and the files that these load. */
const ownPages = /^\/(?:\.account|\.oidc|\.well-known\/css)\//u;

/** Paths whose responses must not be cached: they are personal, or errors. Public keys are an exception. */
const personal = /^\/(?:\.account|\.oidc)\//u;
const keysPath = '/.oidc/jwks';

/**
 * Scripts run, but in an origin of their own. Windows that they open are ordinary pages: those of pods are sandboxed
 * themselves.
 */
const sandbox = 'sandbox allow-downloads allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox ' +
  'allow-scripts allow-top-navigation-by-user-activation';

/**
 * Protects the log-in of the server's account pages in browsers: from pages of pods, which have the same origin; from
 * neighbouring origins, such as another subdomain, whose requests have the cookie; and from outside texts on the
 * account pages.
 */
export class BrowserShield {
  private readonly origin: string;
  private readonly policy: string;
  private readonly trustPodPages: boolean;
  private readonly offers: AccountOffers;

  public constructor(args: BrowserShieldArgs) {
    this.origin = new URL(args.baseUrl).origin;
    this.policy = pagePolicy(`${this.origin}/`);
    this.trustPodPages = readSwitch('trustPodPages', args.trustPodPages);
    this.offers = args.offers;
  }

  /**
   * Checks a request, with its canonical target, before the server handles it.
   *
   * @returns The reason to refuse it; nothing for a request that the server may handle.
   */
  public shield(request: IncomingMessage, response: ServerResponse): ShieldRefusal | undefined {
    const { headers, url = '/' } = request;
    const path = url.split('?', 1)[0];
    receiveCookies(headers, this.origin.startsWith('https:'));
    const refusal = findAccountRefusal(request, path, this.origin);
    const methods = findAccountMethods(path);
    if (ownPages.test(path)) {
      this.guard(path, request.method, response);
    } else if (!this.trustPodPages && url !== '/') {
      response.setHeader('Content-Security-Policy', sandbox);
      response.setHeader('X-Content-Type-Options', 'nosniff');
    }
    if (refusal === 'foreign') {
      return refusal;
    }
    if (this.offers.isWithheld(path)) {
      return this.offers.hasPasswords ? 'withheld' : 'passwordsOff';
    }
    if (methods?.includes(request.method ?? 'GET') === false) {
      return { methods };
    }
    if (methods && request.method === 'HEAD') {
      // The server's account routes support only GET. The response omits the body by itself.
      request.method = 'GET';
    }
    return refusal;
  }

  private guard(path: string, method: string | undefined, response: ServerResponse): void {
    response.setHeader('Content-Security-Policy', this.policy);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    if (personal.test(path) && !(path === keysPath && (method === 'GET' || method === 'HEAD'))) {
      response.setHeader('Cache-Control', 'no-store');
      response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
      response.setHeader('Referrer-Policy', 'same-origin');
    }
  }
}
