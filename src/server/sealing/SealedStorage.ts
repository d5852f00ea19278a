import { getLoggerFor } from '@solid/community-server';
import type { KeyValueStorage } from '@solid/community-server';
import { isRecord } from '../../platform/isRecord';
import { RefusedSetting } from '../../platform/RefusedSetting';
import { noticingOutages } from '../outages/noticedOutages';
import type { Seals, SealSource } from './SealSource';

/** A sealed value as it is stored. */
interface SealedValue {
  sealed: string;
}

/** Number of values that are sealed concurrently during the migration. */
const atOnce = 16;

/**
 * Values of the server, sealed with their keys, so that a copy without the secret is unreadable. Sessions, tokens and
 * codes are as valuable as a password, and their keys are the values that a browser or app sends.
 */
export class SealedStorage implements KeyValueStorage<string, unknown> {
  private readonly logger = getLoggerFor(this);
  private readonly source: KeyValueStorage<string, unknown>;
  private readonly area: string;
  private readonly seals: SealSource;

  /**
   * @param source - Storage of the values.
   * @param area - Area of values of one kind. A value of one area cannot be decrypted in another.
   * @param seals - Secrets of the server.
   */
  public constructor(source: KeyValueStorage<string, unknown>, area: string, seals: SealSource) {
    this.source = source;
    this.area = area;
    this.seals = seals;
  }

  public async get(key: string): Promise<unknown> {
    const seals = await this.open();
    const name = seals.nameOf(this.area, key);
    const value = findSealed(await noticingOutages(async(): Promise<unknown> => this.source.get(name)));
    return value && seals.open(this.area, name, value.sealed)[1];
  }

  public async has(key: string): Promise<boolean> {
    return this.source.has((await this.open()).nameOf(this.area, key));
  }

  public async set(key: string, value: unknown): Promise<this> {
    const seals = await this.open();
    await this.source.set(seals.nameOf(this.area, key), { sealed: seals.seal(this.area, key, value) });
    return this;
  }

  public async delete(key: string): Promise<boolean> {
    return this.source.delete((await this.open()).nameOf(this.area, key));
  }

  /** Lists the values that can be decrypted; others are useless and left out. */
  public async* entries(): AsyncIterableIterator<[ string, unknown ]> {
    const seals = await this.open();
    for await (const [ name, stored ] of this.source.entries()) {
      const value = findSealed(stored);
      const entry = value && this.tryOpen(seals, name, value);
      if (entry) {
        yield entry;
      }
    }
  }

  /**
   * Seals values stored in clear, and removes the clear ones. Nobody else may use the storage meanwhile. After an
   * interruption, the next call continues.
   *
   * @returns Number of values that it sealed.
   *
   * @throws RefusedSetting when a value was sealed with another secret, as the values then belong to other records.
   */
  public async takeOver(): Promise<number> {
    const seals = await this.open();
    const clear: [string, unknown][] = [];
    for await (const [ key, value ] of this.source.entries()) {
      const sealed = findSealed(value);
      if (!sealed) {
        clear.push([ key, value ]);
      } else if (!this.tryOpen(seals, key, sealed)) {
        throw new RefusedSetting('--records: accounts and log-ins of this server are encrypted with a secret of ' +
          'other records. Give those; if they are lost, remove accounts and idp from .internal of --rootFilePath.');
      }
    }
    for (let start = 0; start < clear.length; start += atOnce) {
      await Promise.all(clear.slice(start, start + atOnce).map(async([ key, value ]): Promise<void> => {
        await this.set(key, value);
        await this.source.delete(key);
      }));
    }
    return clear.length;
  }

  private tryOpen(seals: Seals, name: string, { sealed }: SealedValue): [string, unknown] | undefined {
    try {
      return seals.open(this.area, name, sealed);
    } catch {
      this.logger.error(`A value of ${this.area} cannot be decrypted: it was changed, or belongs to another secret`);
    }
  }

  private async open(): Promise<Seals> {
    return (await this.seals.secrets()).valueSeals();
  }
}

/** Checks for a sealed value. */
export function isSealed(stored: unknown): boolean {
  return findSealed(stored) !== undefined;
}

/** Returns the sealed value, also from the wrapping that the server adds to values whose keys may be long. */
function findSealed(stored: unknown): SealedValue | undefined {
  const { sealed, payload } = isRecord(stored) ? stored : {};
  const text = sealed ?? (isRecord(payload) ? payload.sealed : undefined);
  return typeof text === 'string' ? { sealed: text } : undefined;
}
