import { readdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Clock } from '../../platform/clock';
import type { FileState } from '../../platform/fileState';
import { isSameState, isSettled, isThere, stateOf } from '../../platform/fileState';
import { isOutage } from '../../platform/outage';
import { isMarked, MarkedFiles } from './MarkedFiles';
import { OwnChanges, realFolder } from './OwnChanges';

/** Marked files of a folder. */
interface KnownFolder {
  state: FileState;
  files: MarkedFiles;
  /** Names that this process has added since, or is adding. */
  added: Set<string>;
  /** Milliseconds of the clock when the files were certain; absent while any change would change the state. */
  certainAt?: number;
}

/** A list of a folder, and when it was read. */
interface Listed {
  names: string[];
  state: FileState;
  at: number;
}

/** Maximum size of folders that are read synchronously, which is faster for small ones than using another thread. */
const maxSyncBytes = 4096n;
/**
 * Time for which a folder that only this process seems to change is not read again: the longest that a file of another
 * process can be missed.
 */
const maxUncertainMs = 100;
/** Maximum names added to a list before the folder is read again. */
const maxAdded = 256;

/** Options of {@link FolderIndex}. */
export interface FolderIndexOptions {
  now: Clock;
  /** Maximum cached files in total, at eight bytes each, besides at most 256 names of each folder. */
  maxFiles?: number;
}

/**
 * Finds the file `name$.extension` of a name without listing the folder each time.
 *
 * A folder is read once, and cached as long as `stat` reports it unchanged. A folder that changed so recently that its
 * time might not change again is read at each call; concurrent calls share one reading. So results are those of reading
 * the folder each time, even when other processes write there.
 *
 * A process that is the only user of the folders may {@link trustOwnChanges}, so that its own changes are added to the
 * list instead. Then a file that somebody else adds at the time of such a change can be missed for 100 ms.
 */
export class FolderIndex {
  private readonly now: Clock;
  private readonly maxFiles: number;
  /** Oldest first. */
  private readonly known = new Map<string, KnownFolder>();
  private readonly running = new Map<string, Promise<string[]>>();
  private readonly waiting = new Map<string, Promise<string[]>>();
  private readonly own = new OwnChanges();
  /** Paths without mark and extension of files that nobody can have made. */
  private readonly unused = new Set<string>();
  private isAlone = false;
  private files = 0;

  public constructor({ now, maxFiles = 1_000_000 }: FolderIndexOptions) {
    this.now = now;
    this.maxFiles = maxFiles;
  }

  /**
   * Finds the first marked file of a name in the order of file names; undefined when there is none, or no such folder.
   *
   * @param folder - Path of the folder.
   * @param name - Name without mark.
   *
   * @throws The error of the file system in an outage: what cannot be listed is not absent.
   */
  public async find(folder: string, name: string): Promise<string | undefined> {
    if (this.unused.size > 0 && this.unused.has(`${folder}/${name}`)) {
      return undefined;
    }
    try {
      return await this.findIn(folder, name);
    } catch (error: unknown) {
      if (isOutage(error)) {
        throw error;
      }
      // Not a folder.
      return undefined;
    }
  }

  /** Call when no other server uses the folders, and all changes that add files are made by {@link change}. */
  public trustOwnChanges(): void {
    this.isAlone = true;
  }

  /**
   * Runs work during which no marked file is looked for in the place of a folder.
   *
   * @param path - Path of the folder, whose name nobody else can know yet.
   * @param work - Creates the folder.
   */
  public async creating(path: string, work: () => Promise<void>): Promise<void> {
    this.unused.add(path);
    try {
      await work();
    } finally {
      this.unused.delete(path);
    }
  }

  /**
   * Makes a change.
   *
   * @param files - Paths of all files that it may add or remove.
   * @param work - Makes the change.
   */
  public async change<T>(files: readonly string[], work: () => Promise<T>): Promise<T> {
    if (!this.isAlone) {
      return work();
    }
    const folders = [ ...new Set(files.map((file): string => dirname(file))) ];
    const ends = folders.map((folder): () => void => {
      const names = files.filter((file): boolean => dirname(file) === folder).map((file): string => basename(file));
      return this.begin(realFolder(folder), names);
    });
    try {
      return await work();
    } finally {
      for (const end of ends) {
        end();
      }
    }
  }

  private begin(folder: string, names: string[]): () => void {
    const known = this.known.get(folder);
    if (known) {
      this.add(folder, known, names);
    }
    const end = this.own.begin(folder, names);
    return (): void => {
      const state = end();
      const after = this.known.get(folder);
      if (after && state) {
        after.state = state;
      } else if (!this.own.areRunning(folder)) {
        this.forget(folder);
      }
    };
  }

  /** Adds names to a list that is valid; forgets any other. */
  private add(folder: string, known: KnownFolder, names: string[]): void {
    let state: FileState | undefined;
    try {
      state = stateOf(folder);
    } catch {
      // Not readable: neither is the list valid.
    }
    if (!state || !this.isValid(folder, known, state) || known.added.size + names.length > maxAdded) {
      this.forget(folder);
      return;
    }
    known.certainAt ??= this.now().getTime();
    this.files -= known.added.size;
    for (const name of names) {
      known.added.add(name);
    }
    this.files += known.added.size;
  }

  private isValid(folder: string, { certainAt, state }: KnownFolder, now: FileState): boolean {
    if (!isSameState(state, now) && !this.own.areRunning(folder)) {
      return false;
    }
    const age = certainAt === undefined ? 0 : this.now().getTime() - certainAt;
    return age >= 0 && age <= maxUncertainMs;
  }

  private async findIn(folder: string, name: string): Promise<string | undefined> {
    const state = stateOf(folder);
    if (!state) {
      return undefined;
    }
    const known = this.known.get(folder);
    if (known && this.isValid(folder, known, state)) {
      const candidates = new Set(known.files.candidates(name));
      for (const file of known.added) {
        if (isMarked(file, name)) {
          candidates.add(file);
        }
      }
      const found = [ ...candidates ].filter((file): boolean => isThere(`${folder}/${file}`));
      if (found.length < 2 || known.added.size === 0) {
        return found[0];
      }
      // Only the folder knows their order.
    }
    return (await this.list(folder, state)).find((file): boolean => isMarked(file, name));
  }

  private async list(folder: string, state: FileState): Promise<string[]> {
    this.forget(folder);
    const now = this.now();
    const reading = this.isAlone ? this.own.startReading(folder, state) : undefined;
    let isOwn = false;
    let names: string[];
    try {
      names = state.size <= maxSyncBytes ? readdirSync(folder) : await this.read(folder);
    } finally {
      isOwn = reading !== undefined && this.own.endReading(folder, reading);
    }
    const listed = { names, state, at: now.getTime() };
    if (isSettled(state, now) && !this.own.areRunning(folder)) {
      this.remember(folder, listed);
    } else if (reading && isOwn) {
      this.rememberOwn(folder, listed, reading.added);
    }
    return names;
  }

  /** Lists a folder; the reading starts after the call. */
  private async read(folder: string): Promise<string[]> {
    let reading = this.waiting.get(folder);
    if (!reading) {
      reading = this.readAfter(folder, this.running.get(folder));
      this.waiting.set(folder, reading);
    }
    return reading;
  }

  private async readAfter(folder: string, previous: Promise<unknown> | undefined): Promise<string[]> {
    await previous?.catch((): void => {
      // Callers that wait for it get the error.
    });
    this.waiting.delete(folder);
    const reading = readdir(folder);
    this.running.set(folder, reading);
    try {
      return await reading;
    } finally {
      if (this.running.get(folder) === reading) {
        this.running.delete(folder);
      }
    }
  }

  /** Caches a folder, unless it changed while it was read. */
  private remember(folder: string, { names, state }: Listed): void {
    const after = stateOf(folder);
    if (after && isSameState(after, state)) {
      this.keep(folder, { state, files: MarkedFiles.of(names), added: new Set() });
    }
  }

  /** Caches a folder that only this process has changed lately. */
  private rememberOwn(folder: string, { at, names }: Listed, added: Set<string>): void {
    const state = stateOf(folder);
    const known = this.known.get(folder);
    // Of callers that shared one reading, the first has cached it.
    if (state && added.size <= maxAdded && !(known && this.isValid(folder, known, state))) {
      this.keep(folder, { state, files: MarkedFiles.of(names), added, certainAt: at });
    }
  }

  private keep(folder: string, known: KnownFolder): void {
    this.forget(folder);
    if (sizeOf(known) > this.maxFiles) {
      return;
    }
    this.known.set(folder, known);
    this.files += sizeOf(known);
    for (const oldest of this.known.keys()) {
      if (this.files <= this.maxFiles) {
        break;
      }
      this.forget(oldest);
    }
  }

  private forget(folder: string): void {
    const known = this.known.get(folder);
    if (known) {
      this.known.delete(folder);
      this.files -= sizeOf(known);
    }
  }
}

function sizeOf({ added, files }: KnownFolder): number {
  return files.size + added.size + 1;
}
