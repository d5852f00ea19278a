import { getLoggerFor, setSafeInterval } from '@solid/community-server';
import type { ExpiringStorage, KeyValueStorage } from '@solid/community-server';
import type { SealSource } from '../sealing/SealSource';
import { isRecord } from '../../platform/isRecord';
import type { FolderStorage } from './FolderStorage';
import { HolderNotes } from './HolderNotes';

/** Values that are removed with their holder. */
export interface HeldValues {
  /**
   * Removes all values of a holder. Reads no values of others.
   *
   * @param holder - Id of an account, or a WebID.
   * @param except - Key of a value to keep.
   */
  removeOf: (holder: string, except?: string) => Promise<void>;
}

/** Values that can be listed by holder. */
export interface ListedValues {
  /** Returns the current values of a holder, by key. */
  valuesOf: (holder: string) => Promise<Map<string, unknown>>;
  /** Removes some values of a holder, in this order. */
  removeSome: (holder: string, keys: readonly string[]) => Promise<void>;
}

/** Options of {@link HeldStorage}. */
export interface HeldStorageArgs {
  /** The values. */
  source: ExpiringStorage<string, unknown>;
  /** The member by which a value names its holders, at any depth; empty when the value itself is the holder. */
  heldBy: string;
  /** The server's own values; the holders are recorded below the path `area`. */
  values: KeyValueStorage<string, unknown>;
  /** The same values below that path, by folder. */
  folders: FolderStorage;
  /** Path of the notes, which cannot be decrypted under another path. */
  area: string;
  /** Secrets of the server. */
  seals: SealSource;
}

const sweepEveryMs = 3_600_000;

/**
 * Values that expire, such as sessions, with a note of the holder of each: the notes of one holder are in one folder,
 * so finding them takes as long however many values others have.
 */
export class HeldStorage implements ExpiringStorage<string, unknown>, HeldValues, ListedValues {
  private readonly logger = getLoggerFor(this);
  private readonly args: HeldStorageArgs;
  private readonly notes: HolderNotes;

  public constructor(args: HeldStorageArgs) {
    this.args = args;
    this.notes = new HolderNotes(args);
    setSafeInterval(this.logger, 'Notes of holders', this.sweep.bind(this), sweepEveryMs).unref();
  }

  public async get(key: string): Promise<unknown> {
    return this.args.source.get(key);
  }

  public async has(key: string): Promise<boolean> {
    return this.args.source.has(key);
  }

  /** Stores a value. Without `expiration`, it expires at the time in its member `exp`, if any. */
  public async set(key: string, value: unknown, expiration?: Date | number): Promise<this> {
    for (const holder of this.holdersOf(value)) {
      await this.notes.note(holder, key);
    }
    await (typeof expiration === 'number' ?
        this.args.source.set(key, value, expiration) :
        this.args.source.set(key, value, expiration ?? lapseOf(value)));
    return this;
  }

  public async delete(key: string): Promise<boolean> {
    const value = await this.args.source.get(key);
    const existed = await this.args.source.delete(key);
    for (const holder of this.holdersOf(value)) {
      await this.notes.forget(holder, key);
    }
    return existed;
  }

  public entries(): AsyncIterableIterator<[ string, unknown ]> {
    return this.args.source.entries();
  }

  public async removeOf(holder: string, except?: string): Promise<void> {
    await this.removeSome(holder, (await this.notes.keysOf(holder)).filter((key): boolean => key !== except));
    await this.notes.close(holder);
  }

  public async removeSome(holder: string, keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      await this.removeWithPointers(key);
      await this.notes.forget(holder, key);
    }
  }

  public async valuesOf(holder: string): Promise<Map<string, unknown>> {
    const values = new Map<string, unknown>();
    for (const key of await this.notes.keysOf(holder)) {
      const value = await this.args.source.get(key);
      if (value !== undefined) {
        values.set(key, value);
      }
    }
    return values;
  }

  /** Records the holders of values from an earlier version. Call once, before storing anything. */
  public async takeOver(): Promise<void> {
    await this.notes.takeOver(async(): Promise<void> => {
      for await (const [ key, value ] of this.args.source.entries()) {
        for (const holder of this.holdersOf(value)) {
          await this.notes.note(holder, key);
        }
      }
    });
  }

  /** Removes notes of missing values. */
  public async sweep(now = Date.now()): Promise<void> {
    await this.notes.sweep(async(key): Promise<boolean> => this.has(key), now);
  }

  /** Removes a value and its pointers: the library finds some values by another id, or by that of their grant. */
  private async removeWithPointers(key: string): Promise<void> {
    const value = await this.args.source.get(key);
    const { uid, grantId } = isRecord(value) ? value : {};
    const pointers = [ ...pointer('uids', uid), ...pointer('grants', grantId) ];
    for (const each of [ ...pointers, key ]) {
      await this.args.source.delete(each);
    }
  }

  private holdersOf(value: unknown): Set<string> {
    const { heldBy } = this.args;
    return new Set(heldBy === '' ? [ value ].filter(isText) : textsOf(value, heldBy));
  }
}

/** Returns the strings of a member at any depth: an interaction in progress has the member in its result. */
function textsOf(value: unknown, member: string): string[] {
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([ name, inner ]): string[] =>
    name === member && isText(inner) ? [ inner ] : textsOf(inner, member));
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function pointer(kind: string, id: unknown): string[] {
  return isText(id) ? [ `${kind}/${encodeURIComponent(id)}` ] : [];
}

/** Returns the expiration of a value: the library stores a used code without one. */
function lapseOf(value: unknown): Date | undefined {
  const { exp } = isRecord(value) ? value : {};
  return typeof exp === 'number' && exp * 1000 > Date.now() ? new Date(exp * 1000) : undefined;
}
