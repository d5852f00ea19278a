import { createHash } from 'node:crypto';
import { lstat, open, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder, writeToDisk } from '../../server/files/durableFiles';
import type { RecordsCopied } from '../../storage/copies/RecordsSnapshot';
import { codeOf, messageOf } from '../../platform/errors';
import { makeFolder } from '../../platform/makeFolders';
import { parseOwn } from '../../platform/ownJson';

/** Contents of a backup. */
export interface BackupNote extends RecordsCopied {
  /** Time as of which records and pods were copied. */
  made: string;
  /** Number of files of pods and accounts. */
  files: number;
  /** SHA-256, in hex, of every file in the backup except this note: `records.sqlite`, `pods/…`. */
  sha256: Record<string, string>;
  /** All folders of the backup. An empty one is a container without members. */
  folders: string[];
}

/** A note, and the digest in its last line. */
export interface SignedNote {
  note: BackupNote;
  /** SHA-256, in hex, of the rest of the note, and thereby of the whole backup. */
  digest: string;
  /** False when the note was changed. */
  isWhole: boolean;
}

/** Name of the note, which exists only in a complete backup. */
export const noteFile = 'backup.json';
/** Name of the note until the backup is complete. */
export const draftFile = `${noteFile}.part`;
/** File of the records in a backup. */
export const recordsFile = 'records.sqlite';
/** Folder of the pods in a backup. */
export const podsFolder = 'pods';
/** Folder of the packages of plan requests in a backup, if there are any. */
export const packagesFolder = 'plan-packages';

/** The last lines of a note, with the digest of the text before them. */
const signature = /^(.*),\n {2}"digest": "([\da-f]{64})"\n\}\n$/su;

/** The folder of a backup, from the first check until the backup is complete. */
export class BackupFolder {
  private constructor(
    private readonly path: string,
    private readonly made: readonly string[],
  ) {}

  /**
   * Creates the folder with missing parents, and checks that it is writable. Of backups that begin in it at the same
   * time, at most one succeeds.
   *
   * @param path - Missing or empty folder.
   *
   * @throws Error that names the flag when this fails; leaves nothing behind.
   */
  public static async make(path: string): Promise<BackupFolder> {
    const made: string[] = [];
    const folder = new BackupFolder(path, made);
    const file = join(path, draftFile);
    try {
      // Not `recursive`: that retries forever on a file system that refuses folders.
      for (const one of await findMissing(path)) {
        if (await makeFolder(one, 0o700)) {
          made.push(one);
        }
      }
      const draft = await open(file, 'wx', 0o600);
      try {
        await draft.writeFile('This backup is not complete.\n').finally(async(): Promise<void> => draft.close());
        await requireAlone(path);
      } catch (error: unknown) {
        await rm(file);
        throw error;
      }
      return folder;
    } catch (error: unknown) {
      await folder.removeMade();
      throw explain(path, error);
    }
  }

  /**
   * Completes the backup.
   *
   * @returns The digest of the whole backup.
   */
  public async complete(note: BackupNote): Promise<string> {
    const body = JSON.stringify(note, undefined, 2).slice(0, -'\n}'.length);
    const digest = createHash('sha256').update(body).digest('hex');
    await writeToDisk(join(this.path, draftFile), `${body},\n  "digest": "${digest}"\n}\n`);
    await rename(join(this.path, draftFile), join(this.path, noteFile));
    await syncFolder(this.path);
    return digest;
  }

  /** Removes the content of the folder, and the folders that were created. */
  public async clear(): Promise<void> {
    for (const name of [ podsFolder, packagesFolder, recordsFile, `${recordsFile}-journal`, draftFile ]) {
      await rm(join(this.path, name), { recursive: true, force: true }).catch((): undefined => undefined);
    }
    await this.removeMade();
  }

  private async removeMade(): Promise<void> {
    for (const one of this.made.toReversed()) {
      await rmdir(one).catch((): undefined => undefined);
    }
  }
}

/** The folder is not one for a backup. */
class UnfitFolder extends Error {
  public constructor(problem: string, options?: ErrorOptions) {
    super(`--into: ${problem}`, options);
    this.name = 'UnfitFolder';
  }
}

function explain(path: string, cause: unknown): Error {
  if (cause instanceof UnfitFolder) {
    return cause;
  }
  // The draft of another backup.
  return codeOf(cause) === 'EEXIST' ?
      notEmpty(path) :
      new UnfitFolder(`nothing can be written to ${path}: ${messageOf(cause)}`, { cause });
}

function notEmpty(path: string): UnfitFolder {
  return new UnfitFolder(`${path} is not empty. Give an empty or new folder.`);
}

/** Lists the folder and its parents that do not exist, the highest first. */
async function findMissing(path: string): Promise<string[]> {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    const found = await stat(at).catch((cause: unknown): undefined => {
      if (codeOf(cause) !== 'ENOENT') {
        throw new UnfitFolder(`${path} cannot be reached: ${messageOf(cause)}`, { cause });
      }
    });
    if (found) {
      await checkFound(path, at, found.isDirectory());
      return missing;
    }
    missing.unshift(at);
  }
}

async function checkFound(path: string, at: string, isFolder: boolean): Promise<void> {
  if (!isFolder) {
    throw new UnfitFolder(`${at} is not a folder`);
  }
  if (at === path && (await readdir(at)).length > 0) {
    throw notEmpty(path);
  }
}

/** Checks that no other backup was completed in the folder since it was found to be empty. */
async function requireAlone(path: string): Promise<void> {
  if ((await readdir(path)).some((name): boolean => name !== draftFile)) {
    throw notEmpty(path);
  }
}

/**
 * Reads the note of a backup.
 *
 * @throws Error when it is missing, as in an interrupted backup, or has no digests.
 */
export async function readNote(path: string): Promise<SignedNote> {
  const names = await readdir(path).catch((error: unknown): never => {
    throw new Error(`${path} cannot be read as a folder: ${messageOf(error)}`, { cause: error });
  });
  if (!names.includes(noteFile)) {
    throw new Error(names.includes(draftFile) ?
      `${path} is not a complete backup: it was interrupted. Make another, and remove this one.` :
      `${path} is not a backup: there is no ${noteFile} in it.`);
  }
  const file = join(path, noteFile);
  // Reading a pipe, or a link to a device, might never end.
  const text = (await lstat(file)).isFile() ? await readFile(file, 'utf8').catch(ignoreTooLong) : '';
  const [ , body, digest ] = signature.exec(text) ?? [ '', '', '' ];
  return {
    note: parse(text, path),
    digest,
    isWhole: digest === createHash('sha256').update(body).digest('hex'),
  };
}

/** A note that is too large for Node.js is none of ours. */
function ignoreTooLong(error: unknown): string {
  if ([ 'ERR_FS_FILE_TOO_LARGE', 'ERR_STRING_TOO_LONG' ].includes(codeOf(error))) {
    return '';
  }
  throw error;
}

function parse(text: string, path: string): BackupNote {
  let note: Partial<BackupNote> | null = null;
  try {
    note = parseOwn(text);
  } catch {
    // Without the note, the files of the backup are unknown.
    throw new Error(`${path} is damaged: ${noteFile} cannot be read, and without it the backup cannot be verified.`);
  }
  if (typeof note?.sha256 !== 'object' || !Array.isArray(note.folders) || typeof note.audit?.hash !== 'string') {
    throw new TypeError(`${join(path, noteFile)} has no digests: an earlier version made it, or it is damaged.`);
  }
  return note as BackupNote;
}
