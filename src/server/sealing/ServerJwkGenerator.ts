import { createPublicKey } from 'node:crypto';
import type { AlgJwk, JwkGenerator } from '@solid/community-server';
import type { JWK } from 'jose';
import type { ServerKeyStorage } from './ServerKeyStorage';

/** The signing key of the server's identity provider that is in use now, and the public keys of all. */
export class ServerJwkGenerator implements JwkGenerator {
  public readonly alg: AlgJwk['alg'];
  private readonly keys: ServerKeyStorage;

  /**
   * @param keys - Keys of the identity provider.
   * @param alg - Algorithm of the signing key.
   */
  public constructor(keys: ServerKeyStorage, alg: string) {
    this.keys = keys;
    this.alg = alg as AlgJwk['alg'];
  }

  public async getPrivateKey(): Promise<AlgJwk> {
    return (await this.keys.signingKeys())[0] as AlgJwk;
  }

  public async getPublicKey(): Promise<AlgJwk> {
    return (await this.getPublicKeys())[0] as AlgJwk;
  }

  /** Public keys that verify tokens, the key in use first. */
  public async getPublicKeys(): Promise<JWK[]> {
    return (await this.keys.signingKeys()).map((key): JWK => ({
      ...createPublicKey({ key: { ...key }, format: 'jwk' }).export({ format: 'jwk' }) as JWK,
      alg: key.alg,
    }));
  }
}
