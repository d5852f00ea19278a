import { createHmac } from 'node:crypto';
import { deriveKey } from '../../platform/deriveKey';
import { parseOwn } from '../../platform/ownJson';
import { seal, unseal } from './Vault';

/**
 * Names and encrypts the server's own values: without the secret, nobody can tell their owners, keys or contents. A
 * value opens only under its own name.
 */
export class ValueSeals {
  private readonly nameKey: Buffer;
  private readonly sealKey: Buffer;

  /**
   * @param secret - 32 random bytes.
   */
  public constructor(secret: Buffer) {
    this.nameKey = deriveKey(secret, 'names of values');
    this.sealKey = deriveKey(secret, 'values');
  }

  /**
   * Returns the name under which a value is stored: the same for equal keys, and safe as a file name.
   *
   * @param area - Group of values.
   * @param key - Key of the value.
   */
  public nameOf(area: string, key: string): string {
    return createHmac('sha256', this.nameKey).update(`${area}\0${key}`).digest('hex');
  }

  /** Seals a key and its value, as JSON. */
  public seal(area: string, key: string, value: unknown): string {
    return seal(this.sealKey, placeOf(area, this.nameOf(area, key)), Buffer.from(JSON.stringify([ key, value ])));
  }

  /**
   * Opens a sealed key and value.
   *
   * @throws Error when it was sealed with another secret or for another name, or was changed.
   */
  public open(area: string, name: string, sealed: string): [key: string, value: unknown] {
    return parseOwn(unseal(this.sealKey, placeOf(area, name), sealed).toString());
  }
}

function placeOf(area: string, name: string): string {
  return `${area}${name}`;
}
