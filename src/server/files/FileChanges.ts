import { createHash, randomUUID } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { readdir, readFile, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { joinFilePath } from '@solid/community-server';
import { codeOf } from '../../platform/errors';
import { isThere } from '../../platform/fileState';
import { parseOwn } from '../../platform/ownJson';
import { changeEntries, holdingFolders, writeToDisk } from './durableFiles';
import type { Flush } from './durableFiles';
import type { FolderIndex } from './FolderIndex';

/** Files that change together. */
export interface FileChange {
  /** Drafts on disk and the files that they become, in this order. */
  renames: [draft: string, file: string][];
  /** Files to remove after the renames. */
  removals: string[];
}

/** A folder that is being removed, and its temporary place. */
interface FolderRemoval {
  folder: string;
  moved: string;
  /** Names of entries that are removed with the folder. Anything else was added while it was still visible. */
  going: string[];
}

const notePattern = /^change-[\da-f]{64}\.json$/u;
const removalPattern = /^removal-[\da-f-]{36}\.json$/u;

/**
 * Atomic changes of several files: a note of all steps is on disk before the first step, so that they can be completed
 * after a crash. A failed change leaves everything as it was; if it fails too late for that, its note stays, and the
 * next {@link settle} completes it.
 *
 * The caller holds the lock of the resource of the files, or is the only user.
 */
export class FileChanges {
  /**
   * @param drafts - Folder of drafts and notes, on the file system of the files.
   * @param index - Cached contents of the folders of the files.
   */
  public constructor(private readonly drafts: string, private readonly index?: FolderIndex) {}

  /**
   * Makes a change, which is on disk when this resolves.
   *
   * @param key - Identifies the resource of the files.
   * @param change - Change to make. Its drafts are removed if it fails, unless the note still needs them.
   */
  public async make(key: string, change: FileChange): Promise<void> {
    const note = this.noteOf(key);
    try {
      await (change.renames.length + change.removals.length > 1 ? this.makeNoted(note, change) : this.carryOut(change));
    } catch (error: unknown) {
      if (!isThere(note)) {
        await drop(change);
      }
      throw error;
    }
  }

  /** Makes a change that the index is told of. */
  public async announce<T>(files: readonly string[], work: () => Promise<T>): Promise<T> {
    return this.index ? this.index.change(files, work) : work();
  }

  /**
   * Removes a folder with some of its files: all or nothing, for concurrent readers too. The removal is on disk when
   * this resolves.
   *
   * @param folder - Path of the folder, without a slash at its end.
   * @param isGoing - Decides which files may be removed with the folder.
   *
   * @returns False when the folder contains anything else, including entries added meanwhile: then everything stays.
   *
   * @throws The error of the file system, such as EXDEV or EBUSY for a folder that cannot be moved.
   */
  public async removeFolder(folder: string, isGoing: (entry: Dirent) => boolean): Promise<boolean> {
    const entries = await readdir(folder, { withFileTypes: true });
    if (!entries.every(isGoing)) {
      return false;
    }
    const removal = {
      folder,
      moved: joinFilePath(this.drafts, `removed-${randomUUID()}`),
      going: entries.map(({ name }): string => name),
    };
    return entries.length === 0 ?
        changeEntries([ folder ], async(): Promise<boolean> => removeEmpty(folder)) :
        this.removeNoted(removal);
  }

  /** Completes a change of a resource that a killed process left unfinished. */
  public async settle(key: string): Promise<void> {
    await this.finish(this.noteOf(key));
  }

  /** Completes unfinished changes of all resources. The caller must be the only user. */
  public async settleAll(): Promise<void> {
    const names = isThere(this.drafts) ? await readdir(this.drafts) : [];
    for (const name of names.filter((one): boolean => notePattern.test(one))) {
      await this.finish(joinFilePath(this.drafts, name));
    }
    for (const name of names.filter((one): boolean => removalPattern.test(one))) {
      await this.finishRemoval(joinFilePath(this.drafts, name));
    }
  }

  /** Notes and makes a removal. Only a start completes an interrupted one, as containers are also read without lock. */
  private async removeNoted(removal: FolderRemoval): Promise<boolean> {
    const { folder, moved, going } = removal;
    const note = joinFilePath(this.drafts, `removal-${randomUUID()}.json`);
    const places = { folder: relative(this.drafts, folder), moved: relative(this.drafts, moved) };
    return holdingFolders([ note ], async(flushNote): Promise<boolean> => {
      try {
        await writeNote(note, JSON.stringify({ ...places, going }), flushNote);
        if (await this.moveAway(removal)) {
          await rm(moved, { recursive: true });
          return true;
        }
        return false;
      } finally {
        // Otherwise a start may have to move it back.
        if (!isThere(moved)) {
          await forget(note, flushNote);
        }
      }
    });
  }

  /** Moves a folder away durably; back again, and returns false, when something was added meanwhile. */
  private async moveAway({ folder, moved, going }: FolderRemoval): Promise<boolean> {
    return holdingFolders([ folder, moved ], async(flush): Promise<boolean> =>
      this.announce([ folder ], async(): Promise<boolean> => {
        let isMoved = false;
        await rename(folder, moved);
        try {
          if (await isWhole(moved, going)) {
            // Keep the content as long as a power cut could bring the folder back.
            await flush();
            isMoved = true;
          }
        } finally {
          if (!isMoved) {
            await rename(moved, folder);
          }
        }
        return isMoved;
      }));
  }

  private async finishRemoval(note: string): Promise<void> {
    const { folder, moved, going } = parseOwn<FolderRemoval>(await readFile(note, 'utf8'));
    const [ place, away ] = [ join(this.drafts, folder), join(this.drafts, moved) ];
    if (isThere(away) && !isThere(place) && !await isWhole(away, going)) {
      await changeEntries([ place ], async(): Promise<void> =>
        this.announce([ place ], async(): Promise<void> => rename(away, place)));
    }
    await forgetDurably(note);
  }

  private async makeNoted(note: string, change: FileChange): Promise<void> {
    const added = new Set(change.renames.map(([ , file ]): string => file).filter((file): boolean => !isThere(file)));
    await holdingFolders([ note ], async(flushNote): Promise<void> =>
      holdingFolders(filesOf(change), async(flush): Promise<void> => {
        let isFinal = false;
        try {
          const noted = mapped(change, (path): string => relative(this.drafts, path));
          await writeNote(note, JSON.stringify(noted), flushNote);
          await this.step(inSafeOrder(change, added), (file): void => {
            isFinal ||= !added.has(file);
          });
          await flush();
        } catch (error: unknown) {
          if (!isFinal) {
            await takeBack(change, added);
            await flush();
            await forget(note, flushNote);
          }
          throw error;
        }
        await forget(note, flushNote);
      }));
  }

  private async finish(note: string): Promise<void> {
    if (!isThere(note)) {
      return;
    }
    const noted = parseOwn<FileChange>(await readFile(note, 'utf8'));
    const { renames, removals } = mapped(noted, (path): string => join(this.drafts, path));
    // The folder may have been removed since, with everything in it.
    if (renames.every(([ , file ]): boolean => isThere(dirname(file)))) {
      await this.carryOut({ renames: renames.filter(([ draft ]): boolean => isThere(draft)), removals });
    }
    await forgetDurably(note);
  }

  private async carryOut(change: FileChange): Promise<void> {
    await changeEntries(filesOf(change), async(): Promise<void> => this.step(change));
  }

  /**
   * Makes the steps of a change.
   *
   * @param change - Change to make.
   * @param onStep - Called with the file after each step.
   */
  private async step(change: FileChange, onStep?: (file: string) => void): Promise<void> {
    await this.announce(filesOf(change), async(): Promise<void> => {
      for (const [ draft, file ] of change.renames) {
        await rename(draft, file);
        onStep?.(file);
      }
      for (const file of change.removals) {
        await rm(file, { force: true });
        onStep?.(file);
      }
    });
  }

  private noteOf(key: string): string {
    return joinFilePath(this.drafts, `change-${createHash('sha256').update(key).digest('hex')}.json`);
  }
}

/** Removes a folder; returns false when it is no longer empty. */
async function removeEmpty(folder: string): Promise<boolean> {
  try {
    await rmdir(folder);
    return true;
  } catch (error: unknown) {
    if ([ 'EEXIST', 'ENOTEMPTY' ].includes(codeOf(error))) {
      return false;
    }
    throw error;
  }
}

/** Checks whether a folder contains only entries that are removed with it. */
async function isWhole(folder: string, going: string[]): Promise<boolean> {
  return (await readdir(folder)).every((name): boolean => going.includes(name));
}

/** Sorts new files first, because they can be rolled back. */
function inSafeOrder({ renames, removals }: FileChange, isNew: ReadonlySet<string>): FileChange {
  return {
    renames: [
      ...renames.filter(([ , file ]): boolean => isNew.has(file)),
      ...renames.filter(([ , file ]): boolean => !isNew.has(file)),
    ],
    removals,
  };
}

function mapped({ renames, removals }: FileChange, map: (path: string) => string): FileChange {
  return {
    renames: renames.map(([ draft, file ]): [string, string] => [ map(draft), map(file) ]),
    removals: removals.map(map),
  };
}

function filesOf({ renames, removals }: FileChange): string[] {
  return [ ...renames.map(([ , file ]): string => file), ...removals ];
}

/** Turns new files into drafts again. Whenever that fails, the note can still complete the change. */
async function takeBack({ renames }: FileChange, added: ReadonlySet<string>): Promise<void> {
  for (const [ draft, file ] of renames) {
    if (added.has(file) && !isThere(draft) && isThere(file)) {
      await rename(file, draft);
    }
  }
}

/** Removes the drafts of a change that was not made. */
async function drop({ renames }: FileChange): Promise<void> {
  for (const [ draft ] of renames) {
    await rm(draft, { force: true });
  }
}

/** Writes a note. Its drafts must be on disk before. */
async function writeNote(note: string, text: string, flush: Flush): Promise<void> {
  const draft = joinFilePath(dirname(note), `temp-${randomUUID()}.txt`);
  try {
    await writeToDisk(draft, text);
    // The entries of the drafts, too.
    await flush();
    await rename(draft, note);
    await flush();
  } catch (error: unknown) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Removes a note durably: otherwise it would undo later changes after a crash. */
async function forget(note: string, flush: Flush): Promise<void> {
  await rm(note, { force: true });
  await flush();
}

async function forgetDurably(note: string): Promise<void> {
  await changeEntries([ note ], async(): Promise<void> => rm(note, { force: true }));
}
