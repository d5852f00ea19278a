import { randomBytes } from 'node:crypto';
import { InternalServerError } from '@solid/community-server';
import type { KeyValueStorage } from '@solid/community-server';
import { exportJWK, generateKeyPair } from 'jose';
import type { JWK } from 'jose';
import { parseOwn } from '../../platform/ownJson';
import { makePrivateJwk } from '../../platform/makePrivateJwk';
import { isList } from '../../platform/lists';
import { isRecord } from '../../platform/isRecord';
import type { SealSource, SecretSource } from './SealSource';

/** Names under which the server keeps the keys of its identity provider. */
const storedAs = { signing: 'jwks', cookies: 'cookie-secret' } as const;

/**
 * Keys of the server's identity provider, sealed, the one in use first. Replaces the server's own storage, which stores
 * them in clear. An existing clear key is encrypted and kept, so that tokens stay valid.
 */
export class ServerKeyStorage implements KeyValueStorage<string, unknown> {
  private readonly source: KeyValueStorage<string, unknown>;
  private readonly seals: SealSource;
  private readonly alg: string;

  /**
   * @param source - The server's own storage of keys.
   * @param seals - Secrets of the server.
   * @param alg - Algorithm of the signing key.
   */
  public constructor(source: KeyValueStorage<string, unknown>, seals: SealSource, alg: string) {
    this.source = source;
    this.seals = seals;
    this.alg = alg;
  }

  public async get(key: string): Promise<unknown> {
    switch (key) {
      case storedAs.signing: return { keys: await this.signingKeys() };
      case storedAs.cookies: return this.cookieKeys();
      default:
    }
  }

  public async has(key: string): Promise<boolean> {
    return Object.values<string>(storedAs).includes(key);
  }

  /** Ignores the value: keys are made where they are sealed. */
  public async set(key: string): Promise<this> {
    throw new InternalServerError(`There is no place for a key of the identity provider called ${key}`);
  }

  public async delete(): Promise<boolean> {
    return false;
  }

  public async* entries(): AsyncIterableIterator<[ string, unknown ]> {
    for (const key of Object.values(storedAs)) {
      yield [ key, await this.get(key) ];
    }
  }

  /**
   * Returns private keys as JWKs, the one in use first. Those for RS256, which clients may choose for their ID tokens,
   * follow the others.
   *
   * @see [OpenID Connect Core 1.0, section 15.1](https://openid.net/specs/openid-connect-core-1_0.html#ServerMTI)
   */
  public async signingKeys(): Promise<JWK[]> {
    const usual = await this.secretsOf('signing', async(): Promise<Buffer> =>
      Buffer.from(JSON.stringify(await makeSigningKey(this.alg))));
    const secrets = await this.seals.secrets();
    const chosen = await secrets.get('signing-rs256', async(): Promise<Buffer> =>
      Buffer.from(JSON.stringify({ ...makePrivateJwk('RSA'), alg: 'RS256' })));
    return [ ...usual, ...chosen ].map((secret): JWK => parseOwn(secret.toString()));
  }

  /** Returns the secrets for signing cookies, the one in use first. */
  public async cookieKeys(): Promise<string[]> {
    const secrets = await this.secretsOf('cookies', async(): Promise<Buffer> => Buffer.from(makeCookieKey()));
    return secrets.map(String);
  }

  /** Seals keys stored in clear, and removes the clear ones. */
  public async takeOver(): Promise<void> {
    await this.signingKeys();
    await this.cookieKeys();
    const secrets = await this.seals.secrets();
    for (const name of [ 'signing', 'cookies' ] as const) {
      if (!await secrets.isSettled(name)) {
        await this.source.delete(storedAs[name]);
        await secrets.settle(name);
      }
    }
  }

  private async secretsOf(name: keyof typeof storedAs, make: () => Promise<Buffer>): Promise<Buffer[]> {
    const secrets: SecretSource = await this.seals.secrets();
    return secrets.get(name, async(): Promise<Buffer> =>
      firstOf(await this.source.get(storedAs[name])) ?? make());
  }
}

/** Makes a signing key in the same way as the server. */
export async function makeSigningKey(alg: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { ...await exportJWK(privateKey), alg };
}

/** Makes a secret for cookies in the same way as the server. */
function makeCookieKey(): string {
  return randomBytes(64).toString('hex');
}

/** Returns the first key of a stored value of the server: a set of JWKs, or a list of texts. */
function firstOf(stored: unknown): Buffer | undefined {
  const keys = isRecord(stored) ? stored.keys : stored;
  const first = isList(keys) ? keys[0] : undefined;
  return first === undefined ? undefined : Buffer.from(typeof first === 'string' ? first : JSON.stringify(first));
}
