import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CryptoKey, JWK } from 'jose';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { encodeJson } from './encodeJson';

/** Tokens outlive a suite, also on a slow machine. */
const lifetimeSeconds = 3600;

/** Claims of a token; undefined omits a usual one. */
export type Claims = Record<string, unknown>;

/** Header and key other than the usual ones; undefined omits a member of the header. */
export interface SigningOptions {
  header?: { alg?: string; typ?: string | undefined; kid?: string | undefined };
  key?: CryptoKey | Uint8Array;
}

/**
 * A small OpenID issuer that signs any token, and serves its metadata, keys, and WebID profiles. For tokens that a
 * proper issuer would never make.
 */
export class TestIssuer {
  public readonly issuer: string;
  private readonly documents = new Map<string, { type: string; text: string }>();

  private constructor(
    private readonly server: Server,
    private readonly privateKey: CryptoKey,
    private readonly kid: string,
    publicJwk: JWK,
  ) {
    this.issuer = `http://localhost:${(server.address() as AddressInfo).port}/`;
    this.serve('/.well-known/openid-configuration', 'application/json', JSON.stringify({
      issuer: this.issuer,
      jwks_uri: `${this.issuer}jwks`,
    }));
    this.serve('/jwks', 'application/json', JSON.stringify({ keys: [{ ...publicJwk, kid, alg: 'ES256', use: 'sig' }]}));
    server.on('request', (request, response): void => this.answer(request, response));
  }

  /** Starts one on a free port. */
  public static async start(): Promise<TestIssuer> {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const jwk = await exportJWK(publicKey);
    // Idle connections stay open until the next request of a busy server.
    const server = createServer({ keepAliveTimeout: 600_000 }).listen(0, 'localhost');
    await once(server, 'listening');
    return new TestIssuer(server, privateKey, await calculateJwkThumbprint(jwk), jwk);
  }

  public async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  /**
   * Serves a WebID profile from now on.
   *
   * @param name - Of the document.
   * @param issuers - Issuers that the profile lists; only this one by default.
   *
   * @returns The WebID.
   */
  public profile(name: string, issuers: string[] = [ this.issuer ]): string {
    const webId = `${this.issuer}${name}#me`;
    const statements = issuers.map((issuer): string =>
      `<${webId}> <http://www.w3.org/ns/solid/terms#oidcIssuer> <${issuer}> .`);
    this.serve(`/${name}`, 'text/turtle', statements.join('\n'));
    return webId;
  }

  /** Serves any document from now on. */
  public serve(path: string, type: string, text: string): void {
    this.documents.set(path, { type, text });
  }

  /**
   * Signs a token: a valid Solid-OIDC access token, except for what the arguments change.
   *
   * @param claims - In addition to or instead of `iss`, `aud`, `client_id`, `iat`, `exp`.
   */
  public async sign(claims: Claims = {}, { header = {}, key = this.privateKey }: SigningOptions = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    return new SignJWT({
      iss: this.issuer,
      aud: 'solid',
      client_id: 'https://app.example/id',
      iat: now,
      exp: now + lifetimeSeconds,
      ...claims,
    })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: this.kid, ...header })
      .sign(key);
  }

  /** A token without signature, with `alg` none. */
  public unsigned(claims: Claims = {}): string {
    const now = Math.floor(Date.now() / 1000);
    const exp = now + lifetimeSeconds;
    const payload = { iss: this.issuer, aud: 'solid', client_id: 'https://app.example/id', iat: now, exp };
    return `${encodeJson({ alg: 'none', typ: 'at+jwt' })}.${encodeJson({ ...payload, ...claims })}.`;
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const document = this.documents.get(new URL(request.url ?? '/', this.issuer).pathname);
    if (document) {
      response.writeHead(200, { 'content-type': document.type }).end(document.text);
    } else {
      response.writeHead(404).end();
    }
  }
}
