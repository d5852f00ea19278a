import type { CryptoKey, JWK } from 'jose';
import { importJWK } from 'jose';
import * as oidc from 'openid-client';
import type { NationalNumber } from '../identity/NationalNumber';
import type { NationalNumbers } from '../identity/NationalNumbers';
import type { Clock } from '../platform/clock';
import { isFetchError } from '../platform/fetchErrors';
import { FreshCache } from '../platform/FreshCache';
import type { GuardedFetch } from '../platform/guardedFetch';
import { LoginCancelled, LoginProviderAway, LoginRefused, Problem } from '../problems';
import { codeOf } from '../platform/errors';
import { assertForUs, readAcr, readAuthenticationTime, readName, readNationalNumber } from './claims';
import type { LoginProvider } from './LoginProvider';

/** Values that tie a provider's response to a log-in. */
export interface LoginChecks {
  state: string;
  nonce: string;
  /** PKCE code verifier. */
  verifier: string;
  /** Maximum seconds since authentication, if the app sets it. */
  maxAge?: number;
}

/** A person identified by a provider. */
export interface NationalIdentity {
  nationalNumber: NationalNumber;
  /** Name of the citizen, if the provider states it: for display during the session only. */
  name?: string;
  /** Level of assurance of the log-in. */
  acr?: string;
  /** Time of authentication at the provider, if it states that, in ms since 1970. */
  authenticatedAt?: number;
}

/** Dependencies and settings of {@link RelyingParty}. */
export interface RelyingPartyOptions {
  provider: LoginProvider;
  /**
   * Redirect URI for this provider only, so that no other can pass off its responses as this one's (RFC 9700, section
   * 4.4.2).
   */
  redirectUri: string;
  fetch: GuardedFetch;
  /** National numbers that citizens may have. */
  numbers: Pick<NationalNumbers, 'parse'>;
  /** Private signing key of this server's identity provider. */
  ownKey: () => Promise<JWK>;
  now: Clock;
}

/** Time, in ms, for which metadata and keys of a provider are cached. */
const lifeMs = 600_000;
const timeoutSeconds = 5;
/** Error codes of a failing provider. */
const away = new Set([ 'server_error', 'temporarily_unavailable' ]);
/** Error codes for a log-in that the citizen ended. */
const cancelled = new Set([ 'access_denied', 'login_required', 'interaction_required', 'consent_required' ]);

/**
 * This server as a client of one national identity provider: code flow with PKCE, `state`, `nonce` and `iss`.
 *
 * @see [OpenID Connect Core 1.0, section 3.1](https://openid.net/specs/openid-connect-core-1_0.html#CodeFlowAuth)
 * @see [RFC 9700](https://www.rfc-editor.org/rfc/rfc9700)
 */
export class RelyingParty {
  private readonly configurations: FreshCache<oidc.Configuration>;

  public constructor(private readonly options: RelyingPartyOptions) {
    this.configurations = new FreshCache({ lifeMs, maxEntries: 1, now: options.now });
  }

  /** The provider's settings. */
  public get provider(): LoginProvider {
    return this.options.provider;
  }

  /**
   * Builds the authorization request.
   *
   * @param checks - Values of this log-in.
   * @param further - Parameters from the app's own request.
   *
   * @returns The URL to send the browser to.
   *
   * @throws LoginProviderAway, LoginRefused
   */
  public async start(checks: LoginChecks, further: Record<string, string> = {}): Promise<URL> {
    const { acrValues, par, parameters, requestObject, scopes } = this.provider;
    const request = new URLSearchParams({
      ...parameters,
      ...further,
      ...acrValues.length > 0 && { acr_values: acrValues.join(' ') },
      ...checks.maxAge !== undefined && { max_age: String(checks.maxAge) },
      redirect_uri: this.options.redirectUri,
      scope: scopes.join(' '),
      response_type: 'code',
      state: checks.state,
      nonce: checks.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(checks.verifier),
      code_challenge_method: 'S256',
    });
    return this.during(async(configuration): Promise<URL> => {
      const sent = requestObject ?
          (await oidc.buildAuthorizationUrlWithJAR(configuration, request, await this.signingKey())).searchParams :
        request;
      return par ?
          oidc.buildAuthorizationUrlWithPAR(configuration, sent) :
          oidc.buildAuthorizationUrl(configuration, sent);
    });
  }

  /**
   * Validates the provider's response, exchanges its code and reads who logged in.
   *
   * @param answer - Parameters of the redirect URI.
   * @param checks - Values of the log-in.
   *
   * @throws LoginCancelled, LoginRefused, LoginTooWeak, LoginProviderAway, ClaimMissing, IdentityInvalid
   */
  public async finish(answer: URLSearchParams, checks: LoginChecks): Promise<NationalIdentity> {
    const url = new URL(this.options.redirectUri);
    url.search = answer.toString();
    return this.during(async(configuration): Promise<NationalIdentity> => {
      const tokens = await oidc.authorizationCodeGrant(configuration, url, {
        expectedState: checks.state,
        expectedNonce: checks.nonce,
        pkceCodeVerifier: checks.verifier,
        maxAge: checks.maxAge,
        idTokenExpected: true,
      });
      // Without an ID token, the exchange throws.
      const idToken = tokens.claims()!;
      assertForUs(idToken, this.provider, this.options.now());
      const acr = readAcr(idToken, this.provider);
      const claims = this.provider.nationalNumber.from === 'id_token' ?
        idToken :
          await oidc.fetchUserInfo(configuration, tokens.access_token, idToken.sub);
      const { nationalNumber } = this.provider;
      return {
        nationalNumber: readNationalNumber(claims, nationalNumber, this.options.numbers),
        name: readName(idToken, this.provider),
        acr,
        authenticatedAt: readAuthenticationTime(idToken),
      };
    });
  }

  /**
   * Finds where a citizen can log out at the provider.
   *
   * @param returnTo - URL to which the provider returns the browser.
   *
   * @returns `undefined` when the provider offers no log-out, or is unavailable.
   *
   * @see [OpenID Connect RP-Initiated Logout 1.0, section 2](https://openid.net/specs/openid-connect-rpinitiated-1_0.html#RPLogout)
   */
  public async findLogOut(returnTo: string): Promise<URL | undefined> {
    try {
      return await this.during(async(configuration): Promise<URL | undefined> =>
        configuration.serverMetadata().end_session_endpoint === undefined ?
          undefined :
            oidc.buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnTo }));
    } catch (error: unknown) {
      if (error instanceof Problem) {
        return;
      }
      throw error;
    }
  }

  private async during<T>(work: (configuration: oidc.Configuration) => Promise<T> | T): Promise<T> {
    try {
      return await work(await this.configurations.get('', async(): Promise<oidc.Configuration> => this.discover()));
    } catch (error: unknown) {
      throw error instanceof Problem ? error : problemOf(error);
    }
  }

  private async discover(): Promise<oidc.Configuration> {
    const { clientId, decryptionKeys, issuer } = this.provider;
    const configuration = await oidc.discovery(new URL(issuer), clientId, undefined, this.authentication(), {
      [oidc.customFetch]: async(url, request): Promise<Response> => this.send(url, request),
      timeout: timeoutSeconds,
      execute: [
        // Verifies signatures of ID tokens and userinfo, even though they come over TLS.
        oidc.enableNonRepudiationChecks,
        // eslint-disable-next-line @typescript-eslint/no-deprecated -- marked so to stand out; for tests only
        ...issuer.startsWith('http:') ? [ oidc.allowInsecureRequests ] : [],
      ],
    });
    if (decryptionKeys.length > 0) {
      oidc.enableDecryptingResponses(configuration, undefined, ...await Promise.all(decryptionKeys.map(decryptionKey)));
    }
    return configuration;
  }

  private authentication(): oidc.ClientAuth {
    const { clientAuthentication } = this.provider;
    switch (clientAuthentication.method) {
      case 'client_secret_basic': return oidc.ClientSecretBasic(clientAuthentication.secret);
      case 'client_secret_post': return oidc.ClientSecretPost(clientAuthentication.secret);
      case 'none': return oidc.None();
      case 'private_key_jwt':
      default:
        return this.authenticationByKey(clientAuthentication.audience);
    }
  }

  /**
   * Authenticates with the current key, which may have changed since the last log-in.
   *
   * @see [OpenID Connect Core 1.0, section 9](https://openid.net/specs/openid-connect-core-1_0.html#ClientAuthentication)
   */
  private authenticationByKey(audience: 'issuer' | 'token_endpoint' = 'issuer'): oidc.ClientAuth {
    // The library awaits this function, although its type does not say so, here and below.
    const authenticate: unknown = async(...call: Parameters<oidc.ClientAuth>): Promise<void> => {
      const [{ token_endpoint: tokenEndpoint }] = call;
      const authenticateNow: unknown = oidc.PrivateKeyJwt(await this.signingKey(), {
        [oidc.modifyAssertion]: (_header, payload): void => {
          payload.aud = audience === 'issuer' ? payload.aud : tokenEndpoint;
        },
      });
      // An async function, as above: a key signs.
      await (authenticateNow as (...sent: typeof call) => Promise<void>)(...call);
    };
    return authenticate as oidc.ClientAuth;
  }

  private async signingKey(): Promise<{ key: CryptoKey; kid?: string }> {
    const { clientAuthentication } = this.provider;
    const own = clientAuthentication.method === 'private_key_jwt' ? clientAuthentication.key : undefined;
    const jwk = own ?? await this.options.ownKey();
    return { key: await importKey(jwk), kid: jwk.kid };
  }

  private async send(url: string, { body, headers, method }: oidc.CustomFetchOptions): Promise<Response> {
    const { accept = 'application/json', ...others } = headers;
    const fetched = await this.options.fetch(url, {
      accept,
      fromSettings: true,
      send: {
        method: method === 'POST' ? 'POST' : 'GET',
        headers: others,
        // The library sends only forms.
        ...body !== undefined && body !== null && { body: String(body as string | URLSearchParams) },
      },
    });
    return new Response(fetched.status === 204 || fetched.status === 304 ? null : new Uint8Array(fetched.body), {
      status: fetched.status,
      headers: Object.entries(fetched.headers).flatMap(([ name, value ]): [string, string][] =>
        [ value ?? [] ].flat().map((each): [string, string] => [ name, each ])),
    });
  }
}

async function importKey(jwk: JWK): Promise<CryptoKey> {
  const key = await importJWK(jwk, jwk.alg);
  if (key instanceof Uint8Array) {
    throw new TypeError('The key is a secret');
  }
  return key;
}

async function decryptionKey(jwk: JWK): Promise<oidc.DecryptionKey> {
  return { key: await importKey(jwk), alg: jwk.alg, kid: jwk.kid };
}

/** Reports a provider that cannot be reached, or fails, as unavailable; any other error refuses the log-in. */
function problemOf(error: unknown): Problem {
  if (error instanceof oidc.AuthorizationResponseError && cancelled.has(error.error)) {
    return new LoginCancelled(undefined, { cause: error });
  }
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    if (isFetchError(at) || /^OAUTH_(?:TIMEOUT|ABORT)$/u.test(codeOf(at)) ||
      (at.cause instanceof Response && at.cause.status >= 500)) {
      return new LoginProviderAway(undefined, { cause: error });
    }
  }
  const isAway = error instanceof oidc.AuthorizationResponseError && away.has(error.error);
  return new (isAway ? LoginProviderAway : LoginRefused)(undefined, { cause: error });
}
