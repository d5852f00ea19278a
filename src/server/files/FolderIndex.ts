import { readdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { Clock } from '../../platform/clock';
import type { FileState } from '../../platform/fileState';
import { isSameState, isSettled, isThere, stateOf } from '../../platform/fileState';
import { isMarked, MarkedFiles } from './MarkedFiles';

/** Marked files of a folder. */
interface KnownFolder {
  state: FileState;
  files: MarkedFiles;
}

/** Maximum size of folders that are read synchronously, which is faster for small ones than using another thread. */
const maxSyncBytes = 4096n;

/** Options of {@link FolderIndex}. */
export interface FolderIndexOptions {
  now: Clock;
  /** Maximum cached files in total, at eight bytes each. */
  maxFiles?: number;
}

/**
 * Finds the file `name$.extension` of a name without listing the folder each time.
 *
 * A folder is read once, and cached as long as `stat` reports it unchanged. A folder that changed so recently that its
 * time might not change again is read at each call; concurrent calls share one reading. So results are those of reading
 * the folder each time, even when other processes write there.
 */
export class FolderIndex {
  private readonly now: Clock;
  private readonly maxFiles: number;
  /** Oldest first. */
  private readonly known = new Map<string, KnownFolder>();
  private readonly running = new Map<string, Promise<string[]>>();
  private readonly waiting = new Map<string, Promise<string[]>>();
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
   */
  public async find(folder: string, name: string): Promise<string | undefined> {
    try {
      return await this.findIn(folder, name);
    } catch {
      // Not a folder, or not readable.
      return undefined;
    }
  }

  private async findIn(folder: string, name: string): Promise<string | undefined> {
    const state = stateOf(folder);
    if (!state) {
      return undefined;
    }
    const known = this.known.get(folder);
    if (known && isSameState(known.state, state)) {
      return known.files.candidates(name).find((file): boolean => isThere(`${folder}/${file}`));
    }
    this.forget(folder);
    const isToBeTrusted = isSettled(state, this.now());
    const names = state.size <= maxSyncBytes ? readdirSync(folder) : await this.read(folder);
    if (isToBeTrusted) {
      this.remember(folder, state, names);
    }
    return names.find((file): boolean => isMarked(file, name));
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
  private remember(folder: string, state: FileState, names: string[]): void {
    const after = stateOf(folder);
    if (!after || !isSameState(after, state)) {
      return;
    }
    this.forget(folder);
    const files = MarkedFiles.of(names);
    if (files.size > this.maxFiles) {
      return;
    }
    this.known.set(folder, { state, files });
    this.files += files.size + 1;
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
      this.files -= known.files.size + 1;
    }
  }
}
