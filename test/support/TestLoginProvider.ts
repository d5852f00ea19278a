import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CryptoKey, JWK } from 'jose';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { answerJson, textOf } from './loopback';

type Claims = Record<string, unknown>;

/** Unusual behaviour of an endpoint of a provider. */
export type Misbehaviour = (request: IncomingMessage, response: ServerResponse) => unknown;

interface Code {
  parameters: URLSearchParams;
  claims: Claims;
}

/**
 * An OpenID provider without Solid whose endpoints a test controls: for responses that a proper provider would never
 * send.
 */
export class TestLoginProvider {
  public readonly issuer: string;
  /** Signs ID tokens. */
  public key!: CryptoKey;
  /** Changes claims of the next ID tokens. */
  public idToken: Claims = {};
  /** Header of the next ID tokens. */
  public header: { alg?: string; kid?: string } = {};
  /** Members of userinfo in addition to the claims of the citizen. */
  public userinfo: Claims = {};
  /** Unusual behaviour by path. */
  public readonly misbehaviours = new Map<string, Misbehaviour>();
  /** Members of the metadata in addition to or instead of the usual ones. */
  public metadata: Claims = {};
  /** Bodies that the token endpoint received. */
  public readonly tokenRequests: URLSearchParams[] = [];
  private readonly codes = new Map<string, Code>();
  private readonly tokens = new Map<string, Claims>();
  /** Requests that were pushed, by their URN. */
  private readonly pushed = new Map<string, URLSearchParams>();
  private publicJwk!: JWK;

  private constructor(private readonly server: Server) {
    this.issuer = `http://localhost:${(server.address() as AddressInfo).port}/`;
    server.on('request', (request: IncomingMessage, response: ServerResponse): void => {
      const path = request.url!.split('?', 1)[0];
      Promise.resolve((this.misbehaviours.get(path) ?? this.usual(path))(request, response))
        .catch((): unknown => response.destroy());
    });
  }

  /** Starts one on a free port. */
  public static async start(): Promise<TestLoginProvider> {
    // Idle connections stay open until the next request of a busy client.
    const server = createServer({ keepAliveTimeout: 600_000 }).listen(0, 'localhost');
    await once(server, 'listening');
    const provider = new TestLoginProvider(server);
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    provider.key = privateKey;
    provider.publicJwk = await exportJWK(publicKey);
    return provider;
  }

  public async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  /** Restores the usual behaviour. */
  public behave(): void {
    this.idToken = {};
    this.header = {};
    this.userinfo = {};
    this.misbehaviours.clear();
  }

  /**
   * Logs in a person who arrives with an authorization request.
   *
   * @param location - The request.
   * @param claims - About the person.
   *
   * @returns The redirect URI with the response.
   */
  public authorize(location: string, claims: Claims): URL {
    const { searchParams } = new URL(location);
    const parameters = this.pushed.get(searchParams.get('request_uri') ?? '') ?? searchParams;
    const code = randomUUID();
    this.codes.set(code, { parameters, claims });
    return this.answer(parameters, { code });
  }

  /** Sends back a person who did not log in. */
  public refuse(location: string, error: string): URL {
    return this.answer(new URL(location).searchParams, { error, error_description: 'No' });
  }

  private answer(parameters: URLSearchParams, answer: Record<string, string>): URL {
    const url = new URL(parameters.get('redirect_uri')!);
    url.search = new URLSearchParams({ ...answer, state: parameters.get('state')!, iss: this.issuer }).toString();
    return url;
  }

  private usual(path: string): Misbehaviour {
    const endpoints: Record<string, Misbehaviour> = {
      '/.well-known/openid-configuration': (_request, response): void => answerJson(response, 200, {
        issuer: this.issuer,
        authorization_endpoint: `${this.issuer}auth`,
        token_endpoint: `${this.issuer}token`,
        userinfo_endpoint: `${this.issuer}userinfo`,
        end_session_endpoint: `${this.issuer}end`,
        pushed_authorization_request_endpoint: `${this.issuer}par`,
        jwks_uri: `${this.issuer}jwks`,
        id_token_signing_alg_values_supported: [ 'ES256' ],
        authorization_response_iss_parameter_supported: true,
        ...this.metadata,
      }),
      '/jwks': (_request, response): void =>
        answerJson(response, 200, { keys: [{ ...this.publicJwk, kid: 'one', alg: 'ES256', use: 'sig' }]}),
      '/par': async(request, response): Promise<void> => {
        const urn = `urn:ietf:params:oauth:request_uri:${randomUUID()}`;
        this.pushed.set(urn, new URLSearchParams(await textOf(request)));
        answerJson(response, 201, { request_uri: urn, expires_in: 60 });
      },
      '/token': async(request, response): Promise<void> => this.exchange(request, response),
      '/userinfo': (request, response): void => {
        const claims = this.tokens.get(String(request.headers.authorization).replace('Bearer ', ''));
        answerJson(response, claims ? 200 : 401, claims ? { sub: 'somebody', ...claims, ...this.userinfo } : {});
      },
    };
    return endpoints[path] ?? ((_request, response): unknown => response.writeHead(404).end());
  }

  private async exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = new URLSearchParams(await textOf(request));
    this.tokenRequests.push(body);
    const code = this.codes.get(body.get('code') ?? '');
    this.codes.delete(body.get('code') ?? '');
    const challenge = createHash('sha256').update(body.get('code_verifier') ?? '').digest('base64url');
    const isRight = code?.parameters.get('code_challenge') === challenge &&
      code.parameters.get('redirect_uri') === body.get('redirect_uri');
    if (!code || !isRight) {
      return answerJson(response, 400, { error: 'invalid_grant' });
    }
    const token = randomUUID();
    this.tokens.set(token, code.claims);
    answerJson(response, 200, {
      access_token: token,
      token_type: 'Bearer',
      expires_in: 60,
      id_token: await this.sign(code),
    });
  }

  private async sign({ claims, parameters }: Code): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    return new SignJWT({
      iss: this.issuer,
      sub: 'somebody',
      aud: parameters.get('client_id')!,
      nonce: parameters.get('nonce')!,
      iat: now,
      exp: now + 60,
      ...claims,
      ...this.idToken,
    }).setProtectedHeader({ alg: 'ES256', kid: 'one', ...this.header }).sign(this.key);
  }
}
