import { createPublicKey } from 'node:crypto';
import type { AlgJwk, JwkGenerator } from '@solid/community-server';
import type { JWK } from 'jose';
import type { ServerKeyStorage } from './ServerKeyStorage';

/** A public key derived before. */
interface KnownKey {
  name: string;
  key: JWK;
}

/** The current signing key of the server's identity provider, and the public keys of all its signing keys. */
export class ServerJwkGenerator implements JwkGenerator {
  public readonly alg: AlgJwk['alg'];
  private readonly keys: ServerKeyStorage;
  /** Cached, because deriving a key takes as long as verifying a token. */
  private known: readonly KnownKey[] = [];

  /**
   * @param keys - Keys of the identity provider.
   * @param alg - Algorithm of the signing key.
   */
  public constructor(keys: ServerKeyStorage, alg: string) {
    this.keys = keys;
    // One of the algorithms that the server supports, and that each key below has.
    this.alg = alg as AlgJwk['alg'];
  }

  public async getPrivateKey(): Promise<AlgJwk> {
    // The key in use has an algorithm: see `this.alg`.
    return (await this.keys.signingKeys())[0] as AlgJwk;
  }

  public async getPublicKey(): Promise<AlgJwk> {
    // With the algorithm of the private key.
    return (await this.getPublicKeys())[0] as AlgJwk;
  }

  /** Public keys that verify tokens, the key in use first. */
  public async getPublicKeys(): Promise<JWK[]> {
    const keys = await this.keys.signingKeys();
    const names = keys.map(nameOf);
    const isKnown = names.length === this.known.length &&
      names.every((name, index): boolean => name === this.known[index].name);
    if (!isKnown) {
      this.known = keys.map((key, index): KnownKey => ({ name: names[index], key: publicOf(key) }));
    }
    return this.known.map(({ key }): JWK => ({ ...key }));
  }
}

/** Returns a name of the public members of a key: equal members give an equal public key. */
function nameOf({ alg, crv, e, kty, n, x, y }: JWK): string {
  return JSON.stringify([ alg, kty, crv, x, y, n, e ]);
}

function publicOf(key: JWK): JWK {
  // Cast because Node.js and `jose` have different types for this.
  return { ...createPublicKey({ key: { ...key }, format: 'jwk' }).export({ format: 'jwk' }) as JWK, alg: key.alg };
}
