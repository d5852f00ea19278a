import { createHash, randomUUID } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { readdir, readFile, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { joinFilePath } from '@solid/community-server';
import { codeOf } from '../../platform/errors';
import { isThere } from '../../platform/fileState';
import { parseOwn } from '../../platform/ownJson';
import { syncFolder, writeToDisk } from './durableFiles';
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
 * after a crash. A failed change leaves everything as it was.
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
   * @param change - Change to make.
   */
  public async make(key: string, change: FileChange): Promise<void> {
    if (change.renames.length + change.removals.length > 1) {
      await this.makeNoted(this.noteOf(key), change);
    } else {
      await this.carryOut(change);
    }
  }

  /** Makes a change that the index is told of. */
  public async announce(files: readonly string[], work: () => Promise<void>): Promise<void> {
    await (this.index ? this.index.change(files, work) : work());
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
    const isGone = entries.length === 0 ? await removeEmpty(folder) : await this.removeNoted(removal);
    await syncFolder(dirname(folder));
    return isGone;
  }

  /** Completes a change of a resource that a killed process left unfinished. */
  public async settle(key: string): Promise<void> {
    await this.finish(this.noteOf(key));
  }

  /** Completes unfinished changes of all resources. The caller must be the only user. */
  public async settleAll(): Promise<void> {
    const names = await readdir(this.drafts).catch((): string[] => []);
    for (const name of names.filter((one): boolean => notePattern.test(one))) {
      await this.finish(joinFilePath(this.drafts, name));
    }
    for (const name of names.filter((one): boolean => removalPattern.test(one))) {
      await this.finishRemoval(joinFilePath(this.drafts, name));
    }
  }

  /** Notes and makes a removal. Only a start completes an interrupted one, as containers are also read without lock. */
  private async removeNoted({ folder, moved, going }: FolderRemoval): Promise<boolean> {
    const note = joinFilePath(this.drafts, `removal-${randomUUID()}.json`);
    const places = { folder: relative(this.drafts, folder), moved: relative(this.drafts, moved) };
    await this.write(note, JSON.stringify({ ...places, going }));
    try {
      await this.announce([ folder ], async(): Promise<void> => rename(folder, moved));
    } catch (error: unknown) {
      await this.forget(note);
      throw error;
    }
    const isGone = await isWhole(moved, going);
    if (isGone) {
      // Keep the content as long as a power cut could bring the folder back.
      await syncFoldersOf([ moved, folder ]);
      await rm(moved, { recursive: true });
    } else {
      await this.announce([ folder ], async(): Promise<void> => rename(moved, folder));
    }
    await this.forget(note);
    return isGone;
  }

  private async finishRemoval(note: string): Promise<void> {
    const { folder, moved, going } = parseOwn<FolderRemoval>(await readFile(note, 'utf8'));
    const [ place, away ] = [ join(this.drafts, folder), join(this.drafts, moved) ];
    if (isThere(away) && !isThere(place) && !await isWhole(away, going)) {
      await this.announce([ place ], async(): Promise<void> => rename(away, place));
      await syncFolder(dirname(place));
    }
    await this.forget(note);
  }

  private async makeNoted(note: string, change: FileChange): Promise<void> {
    const added = change.renames.map(([ , file ]): string => file).filter((file): boolean => !isThere(file));
    await this.write(note, JSON.stringify(mapped(change, (path): string => relative(this.drafts, path))));
    try {
      await this.carryOut(inSafeOrder(change, added));
    } catch (error: unknown) {
      // Steps without a new directory entry come last: they fail neither for lack of space nor because of a name.
      await takeBack(added);
      await this.forget(note);
      throw error;
    }
    await this.forget(note);
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
    await this.forget(note);
  }

  private async carryOut({ renames, removals }: FileChange): Promise<void> {
    const files = [ ...renames.map(([ , file ]): string => file), ...removals ];
    await this.announce(files, async(): Promise<void> => {
      for (const [ draft, file ] of renames) {
        await rename(draft, file);
      }
      for (const file of removals) {
        await rm(file, { force: true });
      }
    });
    await syncFoldersOf(files);
  }

  /** Writes a note. Its drafts must be on disk before. */
  private async write(note: string, text: string): Promise<void> {
    const draft = joinFilePath(this.drafts, `temp-${randomUUID()}.txt`);
    await writeToDisk(draft, text);
    await syncFolder(this.drafts);
    await rename(draft, note);
    await syncFolder(this.drafts);
  }

  /** Removes a note durably: otherwise it would undo later changes after a crash. */
  private async forget(note: string): Promise<void> {
    await rm(note, { force: true });
    await syncFolder(this.drafts);
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
function inSafeOrder({ renames, removals }: FileChange, added: string[]): FileChange {
  const isNew = new Set(added);
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

async function takeBack(added: string[]): Promise<void> {
  for (const file of added) {
    await rm(file, { force: true });
  }
  await syncFoldersOf(added);
}

async function syncFoldersOf(files: string[]): Promise<void> {
  for (const folder of new Set(files.map((file): string => dirname(file)))) {
    if (isThere(folder)) {
      await syncFolder(folder);
    }
  }
}
