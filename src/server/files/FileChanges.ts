import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { joinFilePath } from '@solid/community-server';
import { isThere } from '../../platform/fileState';
import { syncFolder, writeToDisk } from './durableFiles';

/** Files that change together. */
export interface FileChange {
  /** Drafts that are on the disk already, and the files that they become, in this order. */
  renames: [draft: string, file: string][];
  /** Files that go once those are there. */
  removals: string[];
}

const notePattern = /^change-[\da-f]{64}\.json$/u;

/**
 * Atomic changes of several files: a note of all steps is on the disk before the first step, so that they are finished
 * after a crash. A change that fails leaves everything as it was.
 *
 * The caller holds the lock of the resource that the files belong to, or is alone.
 */
export class FileChanges {
  /** @param drafts - Folder of drafts and notes, on the file system of the files. */
  public constructor(private readonly drafts: string) {}

  /**
   * Makes a change. It is on the disk when this resolves.
   *
   * @param key - Names what the files belong to.
   * @param change - What is to be done.
   */
  public async make(key: string, change: FileChange): Promise<void> {
    if (change.renames.length + change.removals.length > 1) {
      await this.makeNoted(this.noteOf(key), change);
    } else {
      await carryOut(change);
    }
  }

  /** Finishes a change of a resource that a killed process has begun. */
  public async settle(key: string): Promise<void> {
    await this.finish(this.noteOf(key));
  }

  /** The same for all resources; the caller is alone. */
  public async settleAll(): Promise<void> {
    const names = await readdir(this.drafts).catch((): string[] => []);
    for (const name of names.filter((one): boolean => notePattern.test(one))) {
      await this.finish(joinFilePath(this.drafts, name));
    }
  }

  private async makeNoted(note: string, change: FileChange): Promise<void> {
    const added = change.renames.map(([ , file ]): string => file).filter((file): boolean => !isThere(file));
    await this.write(note, JSON.stringify(mapped(change, (path): string => relative(this.drafts, path))));
    try {
      await carryOut(inSafeOrder(change, added));
    } catch (error: unknown) {
      // Steps that make no new entry in a folder come last: they fail neither for want of room nor for a name.
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
    const noted = JSON.parse(await readFile(note, 'utf8')) as FileChange;
    const { renames, removals } = mapped(noted, (path): string => join(this.drafts, path));
    // The folder may have been removed since, with all that is in it.
    if (renames.every(([ , file ]): boolean => isThere(dirname(file)))) {
      await carryOut({ renames: renames.filter(([ draft ]): boolean => isThere(draft)), removals });
    }
    await this.forget(note);
  }

  /** The drafts that it names are on the disk before the note is there. */
  private async write(note: string, text: string): Promise<void> {
    const draft = joinFilePath(this.drafts, `temp-${randomUUID()}.txt`);
    await writeToDisk(draft, text);
    await syncFolder(this.drafts);
    await rename(draft, note);
    await syncFolder(this.drafts);
  }

  /** For good: it would undo what comes later. */
  private async forget(note: string): Promise<void> {
    await rm(note, { force: true });
    await syncFolder(this.drafts);
  }

  private noteOf(key: string): string {
    return joinFilePath(this.drafts, `change-${createHash('sha256').update(key).digest('hex')}.json`);
  }
}

/** New files first: each of them can be taken back. */
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

async function carryOut({ renames, removals }: FileChange): Promise<void> {
  for (const [ draft, file ] of renames) {
    await rename(draft, file);
  }
  for (const file of removals) {
    await rm(file, { force: true });
  }
  await syncFoldersOf([ ...renames.map(([ , file ]): string => file), ...removals ]);
}

async function syncFoldersOf(files: string[]): Promise<void> {
  for (const folder of new Set(files.map((file): string => dirname(file)))) {
    if (isThere(folder)) {
      await syncFolder(folder);
    }
  }
}
