import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import type { Database } from '../schema';
import type { KeyRing } from './KeyRing';

/**
 * Use of a blind index or code. A text has a different index for each use, so that tables cannot be joined without the
 * keys.
 */
export type BlindUse =
  'audit-head' | 'citizen-number' | 'guess-caller' | 'guess-number' | 'guess-subject' | 'plan-reference';

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;
const keyIdBytes = 4;

/**
 * Encrypts bytes with AES-256-GCM under a random 96-bit IV.
 *
 * @param key - 32 bytes.
 * @param place - Table and row of the result, which opens nowhere else.
 * @param content - Bytes to encrypt.
 *
 * @returns base64url of key id, IV, tag and ciphertext.
 */
export function seal(key: Buffer, place: string, content: Buffer): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, key, iv, { authTagLength: tagBytes }).setAAD(Buffer.from(place));
  const sealed = Buffer.concat([ cipher.update(content), cipher.final() ]);
  return Buffer.concat([ keyId(key), iv, cipher.getAuthTag(), sealed ]).toString('base64url');
}

/**
 * Decrypts bytes that {@link seal} encrypted.
 *
 * @throws Error when the key or the place differs, or the content was changed.
 */
export function unseal(key: Buffer, place: string, sealed: string): Buffer {
  const bytes = Buffer.from(sealed, 'base64url');
  const [ id, iv, tag, content ] = split(bytes, keyIdBytes, ivBytes, tagBytes);
  if (!id.equals(keyId(key)) || tag.length !== tagBytes) {
    throw new Error(`${place} is not encrypted under this key`);
  }
  const decipher = createDecipheriv(algorithm, key, iv, { authTagLength: tagBytes })
    .setAAD(Buffer.from(place))
    .setAuthTag(tag);
  return Buffer.concat([ decipher.update(content), decipher.final() ]);
}

function split(bytes: Buffer, ...lengths: number[]): Buffer[] {
  const parts: Buffer[] = [];
  let start = 0;
  for (const length of lengths) {
    parts.push(bytes.subarray(start, start + length));
    start += length;
  }
  return [ ...parts, bytes.subarray(start) ];
}

/** Ids of keys in memory, most of which are used many times. */
const keyIds = new WeakMap<Buffer, Buffer>();

function keyId(key: Buffer): Buffer {
  let id = keyIds.get(key);
  if (!id) {
    id = createHash('sha256').update('key id').update(key).digest().subarray(0, keyIdBytes);
    keyIds.set(key, id);
  }
  return id;
}

/** The part of {@link KeyRing} that a {@link Vault} uses. */
export type VaultKeys = Pick<KeyRing, 'getSecret' | 'getSecrets' | 'lock' | 'refreshOn'>;

/**
 * Indexes and encrypts with the secret keys: without them the records are unreadable. Writes under the secrets in use;
 * finds and reads data written under earlier ones.
 */
export class Vault {
  public constructor(private readonly keys: VaultKeys) {}

  /** Must be called in a transaction before anything that it writes is indexed or encrypted. */
  public async lock(trx: Database): Promise<void> {
    await this.keys.lock(trx);
  }

  /** Checks whether there are new keys. For when something cannot be found. */
  public async findsNewKeys(db: Database): Promise<boolean> {
    return this.keys.refreshOn(db);
  }

  /** HMAC-SHA-256 of a text for one use, in base64url: equal texts can be found, but not read. */
  public blindIndex(use: BlindUse, text: string): string {
    return blindIndex(this.keys.getSecret('blind-index'), use, text);
  }

  /** Returns the result of {@link blindIndex}, and those under earlier secrets. */
  public blindIndexes(use: BlindUse, text: string): string[] {
    return this.keys.getSecrets('blind-index').map((key): string => blindIndex(key, use, text));
  }

  /**
   * Encrypts for one place.
   *
   * @see {@link seal}
   */
  public encrypt(place: string, content: Buffer): string {
    return seal(this.keys.getSecret('encryption'), place, content);
  }

  /**
   * Decrypts a value of one place.
   *
   * @param db - Where it was read, and where an unknown key is looked up.
   *
   * @see {@link unseal}
   */
  public async decrypt(db: Database, place: string, sealed: string): Promise<Buffer> {
    if (!this.findKey(sealed)) {
      await this.findsNewKeys(db);
    }
    return unseal(this.findKey(sealed) ?? this.keys.getSecret('encryption'), place, sealed);
  }

  /** Checks whether a value is encrypted under the secret in use. */
  public isCurrent(sealed: string): boolean {
    return isUnder(this.keys.getSecret('encryption'), sealed);
  }

  private findKey(sealed: string): Buffer | undefined {
    return this.keys.getSecrets('encryption').find((key): boolean => isUnder(key, sealed));
  }
}

function blindIndex(key: Buffer, use: BlindUse, text: string): string {
  return createHmac('sha256', key).update(`${use}\0${text}`).digest('base64url');
}

function isUnder(key: Buffer, sealed: string): boolean {
  return Buffer.from(sealed.slice(0, 8), 'base64url').subarray(0, keyIdBytes).equals(keyId(key));
}
