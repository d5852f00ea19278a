import type { AuthorizationServer, ClientAuth } from 'oauth4webapi';
import {
  allowInsecureRequests,
  clientCredentialsGrantRequest,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  discoveryRequest,
  processClientCredentialsResponse,
  processDiscoveryResponse,
} from 'oauth4webapi';
import type { Clock } from '../../platform/clock';
import { isRecord } from '../../platform/isRecord';
import { SourceFailure } from '../Source';
import { boundedFetch, placeOf, TooLarge, TransientFailure } from './boundedFetch';

/** A client of an authorization server. */
export interface ClientSettings {
  /** Issuer URL of the authorization server. */
  issuer: string;
  clientId: string;
  clientSecret: string;
}

interface Token {
  value: string;
  expiresAt: number;
}

interface HttpOptions {
  [allowInsecureRequests]: boolean;
  [customFetch]: (url: string, init: RequestInit) => Promise<Response>;
}

const maxAnswerBytes = 1024 * 1024;
const marginMs = 30_000;
const defaultLifetimeSeconds = 300;

/**
 * Access tokens for this server as a client. A token is used until shortly before it expires; concurrent calls share
 * one request for a token.
 *
 * @see [RFC 6749, 4.4 Client Credentials Grant](https://www.rfc-editor.org/rfc/rfc6749#section-4.4)
 * @see [RFC 8414](https://www.rfc-editor.org/rfc/rfc8414)
 */
export class ClientCredentials {
  private token?: Token;
  private asking?: Promise<Token>;

  public constructor(
    private readonly settings: ClientSettings,
    private readonly timeoutMs: number,
    private readonly now: Clock,
  ) {}

  /**
   * Returns a token that has not expired.
   *
   * @param refused - A token that was just refused, and must be replaced.
   *
   * @throws TransientFailure, SourceFailure
   */
  public async get(refused?: string): Promise<string> {
    if (this.token && this.token.value !== refused && this.token.expiresAt > this.now().getTime()) {
      return this.token.value;
    }
    this.asking ??= this.ask().finally((): void => {
      this.asking = undefined;
    });
    return (await this.asking).value;
  }

  private async ask(): Promise<Token> {
    try {
      this.token = await this.request();
      return this.token;
    } catch (error: unknown) {
      throw error instanceof TransientFailure || error instanceof SourceFailure ? error : failure(error, this.settings);
    }
  }

  private async request(): Promise<Token> {
    const { clientId } = this.settings;
    const asked = this.now().getTime();
    const server = await this.discover();
    const client = { client_id: clientId };
    const authentication = this.authentication(server);
    const response = await clientCredentialsGrantRequest(server, client, authentication, {}, this.options());
    const answer = await processClientCredentialsResponse(server, client, response);
    if (answer.token_type !== 'bearer') {
      throw new SourceFailure(`${placeOf(this.settings.issuer)} returned a token that is not a Bearer token`);
    }
    const lifetimeMs = (answer.expires_in ?? defaultLifetimeSeconds) * 1000;
    return { value: answer.access_token, expiresAt: asked + Math.max(lifetimeMs - marginMs, lifetimeMs / 2) };
  }

  private async discover(): Promise<AuthorizationServer> {
    const issuer = new URL(this.settings.issuer);
    const openId = await discoveryRequest(issuer, { ...this.options(), algorithm: 'oidc' });
    const response = openId.status === 404 ?
        await discoveryRequest(issuer, { ...this.options(), algorithm: 'oauth2' }) :
      openId;
    return processDiscoveryResponse(issuer, response);
  }

  private authentication(server: AuthorizationServer): ClientAuth {
    const methods = server.token_endpoint_auth_methods_supported ?? [ 'client_secret_basic' ];
    return methods.includes('client_secret_basic') ?
        ClientSecretBasic(this.settings.clientSecret) :
        ClientSecretPost(this.settings.clientSecret);
  }

  /** Plain http is allowed when the operator's settings use it. */
  private options(): HttpOptions {
    return {
      [allowInsecureRequests]: this.settings.issuer.startsWith('http:'),
      [customFetch]: async(url, init): Promise<Response> =>
        boundedFetch(url, init, { timeoutMs: this.timeoutMs, maxBytes: maxAnswerBytes }),
    };
  }
}

/** Omits the cause, because the library's may contain part of a response, and so of a token. */
function failure(error: unknown, { issuer }: ClientSettings): SourceFailure {
  if (error instanceof TooLarge) {
    return new SourceFailure(error.message);
  }
  const { code, error: oauthError } = isRecord(error) ? error : {};
  const reason = [ oauthError, code ]
    .find((text): text is string => typeof text === 'string' && /^\w{1,64}$/u.test(text));
  return new SourceFailure(`${placeOf(issuer)} returned no token: ${reason ?? 'bad answer'}`);
}
