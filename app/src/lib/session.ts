import { clear, createStore, get, set, update } from 'idb-keyval';
import * as oauth from 'oauth4webapi';
import { askProvider } from './askProvider';
import type { Settings } from './settings';

/** The log-in of a citizen: a token bound to a key that no script can read (RFC 9449). */
export interface Session {
  webId: string;
  /** Time of the log-in, in ms since 1970. */
  startedAt: number;
  /** Time at which the token expires, in ms since 1970. */
  endsAt: number;
  /** Calls the service as the citizen. */
  fetch: (url: string, options?: RequestOptions) => Promise<Response>;
}

/** Options of a call to the service. */
export interface RequestOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
}

/** Answer of the identity provider about the account that is logged in. */
interface AccountAnswer {
  controls?: { account?: { logout?: string }};
}

/** Log-in as stored in IndexedDB. Its keys can be used there, but not read. */
export interface Kept {
  keys: CryptoKeyPair;
  token: string;
  idToken: string;
  webId: string;
  startedAt: number;
  endsAt: number;
  /** See {@link findAccount}. */
  account?: string;
}

/** Log-in in progress, stored until the browser returns to this tab. */
interface Pending {
  state: string;
  nonce: string;
  verifier: string;
  /** Address in these pages to continue at. */
  goal: string;
}

const store = createStore('citizen-pages', 'session');
const pendingKey = 'log-in';

function readPending(): Pending | undefined {
  const text = sessionStorage.getItem(pendingKey);
  return text === null ? undefined : JSON.parse(text) as Pending;
}

/** Reads the stored log-in of this browser. */
export async function readKept(): Promise<Kept | undefined> {
  return get<Kept>('kept', store);
}

/**
 * Finds the account that is logged in at the identity provider in this browser, when it has the origin of these pages.
 *
 * @param issuer - The identity provider.
 *
 * @returns Something that identifies it; empty when nobody is logged in, nothing when that cannot be found out.
 */
async function findAccount(issuer: string): Promise<string | undefined> {
  try {
    const { controls } = await askProvider<AccountAnswer>(issuer, '.account/') ?? {};
    return controls && (controls.account?.logout ?? '');
  } catch {
    // The service is away: that ends no log-in.
    return undefined;
  }
}

/** Checks whether a log-in failed because the identity provider could not be reached, or failed itself. */
export function isProviderAway(error: unknown): boolean {
  return error instanceof TypeError ||
    (error instanceof oauth.OperationProcessingError && error.code === oauth.RESPONSE_IS_NOT_CONFORM);
}

/** Logs citizens in and out at the identity provider: authorization code flow with PKCE and DPoP. */
export class Sessions {
  private readonly client: oauth.Client;
  private server?: Promise<oauth.AuthorizationServer>;

  public constructor(private readonly settings: Settings) {
    this.client = { client_id: settings.clientId };
  }

  /**
   * Finds the stored log-in of this browser, unless it has ended. It ends with the log-in to the account: somebody who
   * logs out there, or closes the browser, may leave it to others.
   *
   * @param reading - Result of {@link readKept}, which can start before the settings are loaded.
   */
  public async find(reading: Promise<Kept | undefined>): Promise<Session | undefined> {
    const kept = await reading;
    if (!kept || kept.endsAt <= Date.now()) {
      return;
    }
    const account = kept.account === undefined ? undefined : await findAccount(this.settings.issuer);
    if (account !== undefined && account !== kept.account) {
      // Only this: the tab may be in the middle of another log-in.
      await clear(store);
      return;
    }
    return this.open(kept);
  }

  /**
   * Leaves for the identity provider.
   *
   * @param goal - Address in these pages to return to.
   */
  public async logIn(goal: string): Promise<never> {
    const { authorization_endpoint: endpoint } = await this.discover();
    const pending: Pending = {
      state: oauth.generateRandomState(),
      nonce: oauth.generateRandomNonce(),
      verifier: oauth.generateRandomCodeVerifier(),
      goal,
    };
    sessionStorage.setItem(pendingKey, JSON.stringify(pending));
    // Every OpenID provider that offers log-ins has one.
    const url = new URL(endpoint!);
    url.search = new URLSearchParams({
      client_id: this.settings.clientId,
      redirect_uri: this.callback,
      response_type: 'code',
      scope: 'openid webid',
      claims: JSON.stringify({ id_token: { auth_time: null }}),
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(pending.verifier),
      code_challenge_method: 'S256',
      ui_locales: document.documentElement.lang,
    }).toString();
    location.assign(url);
    return new Promise<never>((): void => { /* The page is left. */ });
  }

  /** Finds the address in these pages to continue at after the log-in that this tab began. */
  public findGoal(): string | undefined {
    return readPending()?.goal;
  }

  /**
   * Completes a log-in when the browser returns.
   *
   * @param url - URL with the parameters of the response.
   *
   * @returns Nothing when the citizen declined.
   *
   * @throws Error when the response does not belong to a log-in that this tab began.
   */
  public async finish(url: URL): Promise<Session | undefined> {
    const pending = readPending();
    sessionStorage.removeItem(pendingKey);
    if (!pending) {
      throw new Error('No log-in was begun in this tab.');
    }
    const { state, nonce, verifier } = pending;
    const server = await this.discover();
    let parameters;
    try {
      parameters = oauth.validateAuthResponse(server, this.client, url, state);
    } catch (error: unknown) {
      if (error instanceof oauth.AuthorizationResponseError && error.error === 'access_denied') {
        return;
      }
      throw error;
    }
    const keys = await oauth.generateKeyPair('ES256');
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      this.client,
      oauth.None(),
      parameters,
      this.callback,
      verifier,
      { DPoP: oauth.DPoP(this.client, keys), ...this.insecure },
    );
    const answer =
      await oauth.processAuthorizationCodeResponse(server, this.client, response, { expectedNonce: nonce });
    // With the scope openid and a nonce, the answer has an ID token.
    const claims = oauth.getValidatedIdTokenClaims(answer)! as oauth.IDToken & { webid?: string };
    const account = await findAccount(this.settings.issuer);
    const kept: Kept = {
      keys,
      token: answer.access_token,
      idToken: answer.id_token!,
      webId: claims.webid ?? claims.sub,
      startedAt: (claims.auth_time ?? claims.iat) * 1000,
      endsAt: Date.now() + (answer.expires_in ?? 300) * 1000,
      ...account !== '' && { account },
    };
    await set('kept', kept, store);
    return this.open(kept);
  }

  /** Forgets the log-in here. */
  public async forget(): Promise<void> {
    await clear(store);
    sessionStorage.clear();
  }

  /**
   * Forgets the log-in here, and leaves for the identity provider to end it there.
   *
   * @throws Error when the identity provider cannot be asked: nothing is forgotten then.
   */
  public async logOut(): Promise<void> {
    const [ kept, { end_session_endpoint: endpoint }] = await Promise.all([ readKept(), this.discover() ]);
    await this.forget();
    if (kept && endpoint !== undefined) {
      const url = new URL(endpoint);
      url.search = new URLSearchParams({
        id_token_hint: kept.idToken,
        client_id: this.settings.clientId,
        post_logout_redirect_uri: new URL(`${import.meta.env.BASE_URL}logged-out`, location.href).href,
      }).toString();
      location.assign(url);
    }
  }

  private get callback(): string {
    return new URL(`${import.meta.env.BASE_URL}callback`, location.href).href;
  }

  /** Allows http for a server on this machine, which has no TLS. */
  /* eslint-disable @typescript-eslint/no-deprecated -- meant for use on one's own machine, and limited to it here */
  private get insecure(): { [oauth.allowInsecureRequests]?: boolean } {
    const { hostname, protocol } = new URL(this.settings.issuer);
    return { [oauth.allowInsecureRequests]: protocol === 'http:' && hostname === 'localhost' };
  }
  /* eslint-enable @typescript-eslint/no-deprecated */

  private async discover(): Promise<oauth.AuthorizationServer> {
    this.server ??= this.readConfiguration().catch((error: unknown): never => {
      this.server = undefined;
      throw error;
    });
    return this.server;
  }

  private async readConfiguration(): Promise<oauth.AuthorizationServer> {
    const issuer = new URL(this.settings.issuer);
    return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, this.insecure));
  }

  private open({ keys, token, ...kept }: Kept): Session {
    const proof = oauth.DPoP(this.client, keys);
    return {
      webId: kept.webId,
      startedAt: kept.startedAt,
      endsAt: kept.endsAt,
      fetch: async(url, { method = 'GET', headers, body, signal } = {}): Promise<Response> => {
        try {
          return await oauth.protectedResourceRequest(
            token,
            method,
            new URL(url),
            new Headers(headers),
            body ?? null,
            { DPoP: proof, signal, ...this.insecure },
          );
        } catch (error: unknown) {
          if (error instanceof oauth.WWWAuthenticateChallengeError) {
            // Another tab may have logged in since.
            await update<Kept | undefined>('kept', (found): Kept | undefined =>
              found?.token === token ? undefined : found, store);
            return error.response;
          }
          throw error;
        }
      },
    };
  }
}
