import type { KeyObject } from 'node:crypto';
import { generateKeyPairSync, sign } from 'node:crypto';
import type { Signer, SignerKey, SignerPurpose } from '../../src/credentials/Signer';

/** Keeps keys in memory, as an HSM does in hardware, and can be made to fail. */
export class TestSigner implements Signer {
  public readonly keys: (SignerKey & { privateKey: KeyObject })[] = [];
  /** Ids of the keys that were signed with. */
  public readonly signed: string[] = [];
  public failure?: Error;
  /** Bytes to return instead of every signature. */
  public signature?: Uint8Array;
  /** True to never respond. */
  public isSilent = false;

  public constructor() {
    for (const purpose of [ 'grants', 'credentials', 'tokens' ] as const) {
      this.add(purpose, `${purpose}-key`);
    }
  }

  /** Adds a key in the last place. */
  public add(purpose: SignerPurpose, id: string): void {
    this.keys.push({ id, purpose, ...generateKeyPairSync('ed25519') });
  }

  public async listKeys(): Promise<SignerKey[]> {
    await this.answer();
    return this.keys.map(({ privateKey: _, ...key }): SignerKey => key);
  }

  public async sign(keyId: string, bytes: Uint8Array): Promise<Uint8Array> {
    await this.answer();
    this.signed.push(keyId);
    return this.signature ?? sign(null, bytes, this.keys.find(({ id }): boolean => id === keyId)!.privateKey);
  }

  private async answer(): Promise<void> {
    if (this.isSilent) {
      await new Promise((): undefined => undefined);
    }
    if (this.failure) {
      throw this.failure;
    }
  }
}
