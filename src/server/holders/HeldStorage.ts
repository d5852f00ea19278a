import { ContainerPathStorage, getLoggerFor, setSafeInterval } from '@solid/community-server';
import type { ExpiringStorage, KeyValueStorage } from '@solid/community-server';
import type { SealSource } from '../sealing/SealSource';
import { SealedStorage } from '../sealing/SealedStorage';
import type { FolderStorage } from './FolderStorage';

/** Values that go with their holder. */
export interface HeldValues {
  /**
   * Removes all that a holder has. It reads what belongs to the holder, and nothing of others.
   *
   * @param holder - Id of an account, or a WebID.
   * @param except - Key of a value that stays.
   */
  removeOf: (holder: string, except?: string) => Promise<void>;
}

/** Options of {@link HeldStorage}. */
export interface HeldStorageArgs {
  /** The values. */
  source: ExpiringStorage<string, unknown>;
  /** The member by which a value names its holders, at any depth; empty when the value itself is the holder. */
  heldBy: string;
  /** The server's own values, below whose path `area` the holders are noted. */
  values: KeyValueStorage<string, unknown>;
  /** The same below that path, by folder. */
  folders: FolderStorage;
  /** Path of the notes: they open nowhere else. */
  area: string;
  /** Secrets of the server. */
  seals: SealSource;
}

/** When a value was noted: the note comes first, so one without a value may be of a value that is about to come. */
interface Note {
  at: number;
}

const sweepEveryMs = 3_600_000;
/** Age at which a note without a value is of no use. */
const staleMs = 600_000;
const takenOver = 'taken over';

/**
 * Values that expire, such as sessions, with a note for each of whom it belongs to: what somebody has is found by the
 * notes of one folder, however many values others have. The folder has a sealed name, as all of the server's values.
 */
export class HeldStorage implements ExpiringStorage<string, unknown>, HeldValues {
  private readonly logger = getLoggerFor(this);
  private readonly args: HeldStorageArgs;

  public constructor(args: HeldStorageArgs) {
    this.args = args;
    setSafeInterval(this.logger, 'Notes of holders', this.sweep.bind(this), sweepEveryMs).unref();
  }

  public async get(key: string): Promise<unknown> {
    return this.args.source.get(key);
  }

  public async has(key: string): Promise<boolean> {
    return this.args.source.has(key);
  }

  /** A value that is set without expiration lapses when it says so itself, by a member `exp`. */
  public async set(key: string, value: unknown, expiration?: Date | number): Promise<this> {
    for (const holder of this.holdersOf(value)) {
      await this.note(holder, key);
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
      await (await this.listed(holder)).delete(key);
    }
    return existed;
  }

  public entries(): AsyncIterableIterator<[ string, unknown ]> {
    return this.args.source.entries();
  }

  public async removeOf(holder: string, except?: string): Promise<void> {
    const notes = await this.listed(holder);
    for (const key of await keysOf(notes)) {
      if (key !== except) {
        await this.removeWithPointers(key);
        await notes.delete(key);
      }
    }
    await this.args.folders.removeFolder(await this.folderOf(holder));
  }

  /** Notes the holders of what an earlier version has stored: once, before anything is set. */
  public async takeOver(): Promise<void> {
    const mark = await this.noted('');
    if (await mark.has(takenOver)) {
      return;
    }
    for await (const [ key, value ] of this.args.source.entries()) {
      for (const holder of this.holdersOf(value)) {
        await this.note(holder, key);
      }
    }
    await mark.set(takenOver, { at: Date.now() });
  }

  /** Removes notes of values that are gone. */
  public async sweep(now = Date.now()): Promise<void> {
    const own = await this.folderOf('');
    for await (const folder of this.args.folders.folders()) {
      const notes = this.seal(folder, this.args.folders.below(folder));
      for await (const [ key, note ] of folder === own ? [] : notes.entries()) {
        if ((note as Note).at < now - staleMs && !await this.has(key)) {
          await notes.delete(key);
        }
      }
    }
  }

  /** The library finds some values by an id of another kind, or of the grant that they came with. */
  private async removeWithPointers(key: string): Promise<void> {
    const { uid, grantId } = (await this.args.source.get(key) ?? {}) as { uid?: unknown; grantId?: unknown };
    const pointers = [ ...pointer('uids', uid), ...pointer('grants', grantId) ];
    for (const each of [ ...pointers, key ]) {
      await this.args.source.delete(each);
    }
  }

  private async note(holder: string, key: string): Promise<void> {
    const notes = await this.noted(holder);
    if (!await notes.has(key)) {
      await notes.set(key, { at: Date.now() } satisfies Note);
    }
  }

  /** Notes by the server's own way, in whose wrapping they are stored. */
  private async noted(holder: string): Promise<SealedStorage> {
    const folder = await this.folderOf(holder);
    return this.seal(folder, new ContainerPathStorage(this.args.values, `${this.args.area}${folder}/`));
  }

  /** The same notes, past those of others. */
  private async listed(holder: string): Promise<SealedStorage> {
    const folder = await this.folderOf(holder);
    return this.seal(folder, this.args.folders.below(folder));
  }

  private seal(folder: string, notes: KeyValueStorage<string, unknown>): SealedStorage {
    return new SealedStorage(notes, `${this.args.area}${folder}/`, this.args.seals);
  }

  private async folderOf(holder: string): Promise<string> {
    return (await (await this.args.seals.secrets()).valueSeals()).nameOf(this.args.area, holder);
  }

  private holdersOf(value: unknown): Set<string> {
    const { heldBy } = this.args;
    return new Set(heldBy === '' ? [ value ].filter(isText) : textsOf(value, heldBy));
  }
}

/** The texts of a member, wherever it stands: an interaction that goes on has it in its result, for one. */
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

/** The library sets a code that is used without saying for how long. */
function lapseOf(value: unknown): Date | undefined {
  const { exp } = (value ?? {}) as { exp?: unknown };
  return typeof exp === 'number' && exp * 1000 > Date.now() ? new Date(exp * 1000) : undefined;
}

async function keysOf(storage: KeyValueStorage<string, unknown>): Promise<string[]> {
  const keys: string[] = [];
  for await (const [ key ] of storage.entries()) {
    keys.push(key);
  }
  return keys;
}
