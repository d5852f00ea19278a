import type { BigIntStats, Dirent } from 'node:fs';
import { readdir, realpath, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { nameOfState } from '../../platform/fileState';
import { makeFolder } from '../../platform/makeFolders';
import { isPassing } from '../../server/files/internalFolder';
import { codeOf } from '../../platform/errors';
import { copyToDisk } from './copyToDisk';

/**
 * Paths of short-lived values that the server writes all the time, each in its own file: sessions, tokens. Accounts are
 * excluded.
 */
const restless = /^\.internal\/(?!accounts(?:\/|$))|^\.internal\/accounts\/cookies\//u;

const filesAtOnce = 16;

type EntryKind = 'file' | 'folder' | 'nothing';

/** Result of one pass. */
export interface Pass {
  /** Number of files and folders that differed from the copy. */
  changes: number;
  /** Number of those that must be consistent with others. */
  lasting: number;
}

/**
 * Copies a folder, in passes, while others write to it: each pass copies the changes since the previous one. After a
 * pass without changes, the copy equals the folder at the beginning of that pass.
 */
export class FolderCopy {
  /** States of the copied files. */
  private readonly files = new Map<string, string>();
  private readonly folders = new Map<string, Date>();

  public constructor(
    private readonly from: string,
    private readonly to: string,
  ) {}

  /** Number of files in the copy. */
  public get size(): number {
    return this.files.size;
  }

  /**
   * Copies the changes.
   *
   * @param isLate - Called now and then: true to stop early.
   *
   * @returns `undefined` when it stopped early.
   */
  public async pass(isLate: () => boolean = (): boolean => false): Promise<Pass | undefined> {
    const seen = new Set<string>();
    const changed: string[] = [];
    const folders = [ '' ];
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      if (isLate()) {
        return undefined;
      }
      const entries = await this.enter(folder, changed, seen);
      folders.push(...entries.folders);
      for (let start = 0; start < entries.files.length; start += filesAtOnce) {
        await Promise.all(entries.files.slice(start, start + filesAtOnce)
          .map(async(file): Promise<void> => this.takeFile(file, changed, seen)));
      }
    }
    changed.push(...await this.removeAllBut(seen));
    return { changes: changed.length, lasting: changed.filter((path): boolean => !restless.test(path)).length };
  }

  /** Restores the times of folders, which writing into them has changed. */
  public async finish(): Promise<void> {
    for (const [ folder, time ] of this.folders) {
      await utimes(join(this.to, folder), time, time);
    }
  }

  private async enter(
    folder: string,
    changed: string[],
    seen: Set<string>,
  ): Promise<{ files: string[]; folders: string[] }> {
    const state = await stateOf(join(this.from, folder));
    const entries = state ?
        await readdir(join(this.from, folder), { withFileTypes: true }).catch(ignoreMissing) :
      undefined;
    if (!state || !entries) {
      if (folder === '') {
        throw new Error(`The folder ${this.from} no longer exists`);
      }
      changed.push(folder);
      return { files: [], folders: []};
    }
    if (!this.folders.has(folder)) {
      // Never its parents: a missing one is a disk that was unmounted meanwhile.
      await makeFolder(join(this.to, folder), 0o700);
      changed.push(folder);
    }
    this.folders.set(folder, state.mtime);
    seen.add(folder);
    const named = await Promise.all(entries
      .map((entry): [path: string, entry: Dirent] => [ folder === '' ? entry.name : `${folder}/${entry.name}`, entry ])
      .filter(([ path ]): boolean => !isPassing(path))
      .map(async([ path, entry ]): Promise<{ path: string; kind: EntryKind }> =>
        ({ path, kind: await this.kindOf(path, entry) })));
    return {
      files: named.filter(({ kind }): boolean => kind === 'file').map(({ path }): string => path),
      folders: named.filter(({ kind }): boolean => kind === 'folder').map(({ path }): string => path),
    };
  }

  /** @throws Error for anything that no server wrote, and for files that cannot be copied or never end. */
  private async kindOf(path: string, entry: Dirent): Promise<EntryKind> {
    // The replacement character of invalid UTF-8, which may also be genuine.
    if (path.includes('\uFFFD') && !await stateOf(join(this.from, path))) {
      throw new Error(`${join(this.from, path)} has a name that is not UTF-8: no server wrote it. Remove or rename it`);
    }
    const found = entry.isSymbolicLink() ? await this.followLink(path) : entry;
    if (!found) {
      return 'nothing';
    }
    if (!found.isFile() && !found.isDirectory()) {
      throw new Error(`${join(this.from, path)} is neither a file nor a folder: no server wrote it. Remove it`);
    }
    return found.isDirectory() ? 'folder' : 'file';
  }

  /** Returns `undefined` for a dangling link: the server finds nothing there either. */
  private async followLink(path: string): Promise<BigIntStats | undefined> {
    const real = await realpath(join(this.from, path)).catch(ignoreMissing);
    if (real !== undefined && `${await realpath(join(this.from, dirname(path)))}/`.startsWith(`${real}/`)) {
      throw new Error(`${join(this.from, path)} is a link to a folder that contains it: remove it`);
    }
    return stateOf(join(this.from, path));
  }

  private async takeFile(path: string, changed: string[], seen: Set<string>): Promise<void> {
    const state = await stateOf(join(this.from, path));
    seen.add(path);
    if (state && this.files.get(path) === nameOfState(state)) {
      return;
    }
    changed.push(path);
    this.files.delete(path);
    if (!state) {
      return;
    }
    const to = join(this.to, path);
    try {
      await copyToDisk(join(this.from, path), to, state.mtime);
      this.files.set(path, nameOfState(state));
    } catch (error: unknown) {
      ignoreMissing(error);
      await rm(to, { force: true });
    }
  }

  private async removeAllBut(seen: Set<string>): Promise<string[]> {
    const gone = [ ...this.files.keys(), ...this.folders.keys() ].filter((path): boolean => !seen.has(path));
    for (const path of gone) {
      await rm(join(this.to, path), { recursive: true, force: true });
      this.files.delete(path);
      this.folders.delete(path);
    }
    return gone;
  }
}

async function stateOf(path: string): Promise<BigIntStats | undefined> {
  return stat(path, { bigint: true }).catch(ignoreMissing);
}

function ignoreMissing(error: unknown): undefined {
  if (![ 'ELOOP', 'ENOENT', 'ENOTDIR' ].includes(codeOf(error))) {
    throw error;
  }
}
