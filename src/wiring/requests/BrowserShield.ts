import type { IncomingMessage, ServerResponse } from 'node:http';
import { wrongMethod } from '../../http/wrongMethod';
import { BodyTooLarge, ForeignOrigin, MediaTypeUnsupported, PasswordLoginOff, PathUnknown } from '../../problems';
import type { Problem } from '../../problems';
import type { AccountOffers } from '../../server/accounts/AccountOffers';
import { receiveCookies } from '../../server/accounts/accountCookie';
import { findAccountMethods } from '../../server/accounts/accountMethods';
import { findAccountRefusal, maxAccountBytes } from '../../server/accounts/findAccountRefusal';
import { pagePolicy } from '../../server/pages/pagePolicy';
import { readSwitch } from '../../platform/readSwitch';

/** Options of {@link BrowserShield}. */
export interface BrowserShieldArgs {
  /** Base URL of the server. */
  baseUrl: string;
  /** True when pages in pods run as pages of this server. */
  trustPodPages: boolean;
  /** Knows the offered pages and operations of accounts. */
  offers: AccountOffers;
}

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
   * @returns The problem to respond with instead.
   */
  public shield(request: IncomingMessage, response: ServerResponse): Problem | undefined {
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
      return new ForeignOrigin('Accounts are managed by the pages of this server, or with an account token.');
    }
    if (this.offers.isWithheld(path)) {
      return this.offers.hasPasswords ?
          new PathUnknown() :
          new PasswordLoginOff('Log-in with a password is off here: log in with your national identity.');
    }
    if (methods?.includes(request.method ?? 'GET') === false) {
      return wrongMethod(request.method ?? 'GET', methods.join(', '));
    }
    if (methods && request.method === 'HEAD') {
      // The server's account routes support only GET. The response omits the body by itself.
      request.method = 'GET';
    }
    if (refusal === 'tooLarge') {
      return new BodyTooLarge(`Account operations accept at most ${maxAccountBytes} bytes, with a Content-Length.`);
    }
    return refusal && new MediaTypeUnsupported('Account operations accept application/json only.');
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
