import { verify } from 'node:crypto';
import type { Clock } from '../platform/clock';
import { inTime } from '../platform/inTime';
import type { Logger } from '../platform/logger';
import { messageOf } from '../platform/errors';
import type { SigningKey } from './KeyStore';
import { KeyUnavailable } from './KeyStore';
import { encodeMultikey } from './multibase';
import type { Signer, SignerKey, SignerPurpose } from './Signer';

const purposes: readonly SignerPurpose[] = [ 'grants', 'credentials', 'tokens' ];
const listMs = 10_000;
const timeoutMs = 10_000;
const usualId = /^[\w-]{1,128}$/u;

/** Dependencies of {@link SignerKeys}. */
export interface SignerKeysOptions {
  signer: Signer;
  now: Clock;
  /** Logs once when the signer stops responding, and once when it responds again. */
  logger: Pick<Logger, 'error' | 'warn'>;
}

/**
 * The keys of a {@link Signer}, as last listed. While it does not respond, existing signatures can be verified, but
 * nothing can be signed.
 */
export class SignerKeys {
  private readonly options: SignerKeysOptions;
  private keys!: Readonly<Record<SignerPurpose, readonly SigningKey[]>>;
  private listing = '';
  private listedAt = 0;
  private isAway = false;

  private constructor(options: SignerKeysOptions) {
    this.options = options;
  }

  /** @throws KeyUnavailable when the keys cannot be listed, or are not valid. */
  public static async open(options: SignerKeysOptions): Promise<SignerKeys> {
    const keys = new SignerKeys(options);
    await keys.list();
    return keys;
  }

  /** Returns the keys of a purpose: the first signs, all verify. */
  public get(purpose: SignerPurpose): readonly SigningKey[] {
    return this.keys[purpose];
  }

  /** Lists the keys again if the list is old. Returns true when they have changed. */
  public async refresh(): Promise<boolean> {
    if (Math.abs(this.options.now().getTime() - this.listedAt) < listMs) {
      return false;
    }
    try {
      const hasChanged = await this.list();
      this.note();
      return hasChanged;
    } catch (error: unknown) {
      this.note(messageOf(error));
      return false;
    }
  }

  private async list(): Promise<boolean> {
    // Also set on failure, so that not every signature waits for the signer.
    this.listedAt = this.options.now().getTime();
    const keys = await ask(async(): Promise<SignerKey[]> => this.options.signer.listKeys());
    checkKeys(keys);
    const listing = JSON.stringify(keys.map(({ id, publicKey, purpose }): string[] =>
      [ purpose, id, encodeMultikey(publicKey) ]));
    if (listing === this.listing) {
      return false;
    }
    this.listing = listing;
    this.keys = {
      grants: this.keysOf('grants', keys),
      credentials: this.keysOf('credentials', keys),
      tokens: this.keysOf('tokens', keys),
    };
    return true;
  }

  private keysOf(purpose: SignerPurpose, keys: readonly SignerKey[]): SigningKey[] {
    return keys.filter((key): boolean => key.purpose === purpose).map((key): SigningKey => this.toKey(key));
  }

  private toKey({ id, publicKey }: SignerKey): SigningKey {
    return {
      id,
      publicKey,
      publicKeyMultibase: encodeMultikey(publicKey),
      sign: async(bytes): Promise<Uint8Array> => {
        const signature = await ask(async(): Promise<Uint8Array> => this.options.signer.sign(id, bytes))
          .catch((error: unknown): never => {
            this.note(messageOf(error));
            throw error;
          });
        if (!(signature instanceof Uint8Array) || !verify(null, bytes, publicKey, signature)) {
          throw new KeyUnavailable(`The signer returned a signature that is not of the key ${id}`);
        }
        this.note();
        return signature;
      },
    };
  }

  private note(failure?: string): void {
    const { logger } = this.options;
    if (failure !== undefined && !this.isAway) {
      logger.error(`${failure}. Requests that need a signature get 503`);
    } else if (failure === undefined && this.isAway) {
      logger.warn('The signer responds again');
    }
    this.isAway = failure !== undefined;
  }
}

async function ask<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await inTime(timeoutMs, work);
  } catch (cause: unknown) {
    throw new KeyUnavailable(`The signer failed: ${messageOf(cause)}`, { cause });
  }
}

function checkKeys(keys: readonly SignerKey[]): void {
  for (const { id, publicKey, purpose } of keys) {
    if (!usualId.test(id) || publicKey.type !== 'public' || publicKey.asymmetricKeyType !== 'ed25519' ||
      keys.filter((key): boolean => key.purpose === purpose && key.id === id).length > 1) {
      throw new KeyUnavailable(
        `The signer lists a key of ${purpose} that is not an Ed25519 public key with an id of its own`,
      );
    }
  }
  const missing = purposes.find((purpose): boolean => !keys.some((key): boolean => key.purpose === purpose));
  if (missing) {
    throw new KeyUnavailable(`The signer has no key of ${missing}`);
  }
}
