import { createHash } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder, writeToDisk } from '../../server/files/durableFiles';
import type { RecordsCopied } from '../../storage/copies/RecordsSnapshot';
import { codeOf, messageOf } from '../../platform/errors';
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
   * Creates the folder with missing parents, and checks that it is writable.
   *
   * @param path - Missing or empty folder.
   *
   * @throws Error that names the flag when this fails; leaves nothing behind.
   */
  public static async make(path: string): Promise<BackupFolder> {
    const missing = await findMissing(path);
    const folder = new BackupFolder(path, missing);
    try {
      // Not `recursive`: that retries forever on a file system that refuses folders.
      for (const one of missing) {
        await mkdir(one, { mode: 0o700 });
      }
      await writeToDisk(join(path, draftFile), 'This backup is not complete.\n');
    } catch (error: unknown) {
      await folder.clear();
      throw new Error(`--into: nothing can be written to ${path}: ${messageOf(error)}`, { cause: error });
    }
    return folder;
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
    for (const one of this.made.toReversed()) {
      await rmdir(one).catch((): undefined => undefined);
    }
  }
}

/** Lists the folder and its parents that do not exist, the highest first. */
async function findMissing(path: string): Promise<string[]> {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    const found = await stat(at).catch((error: unknown): undefined => {
      if (codeOf(error) !== 'ENOENT') {
        throw new Error(`--into: ${path} cannot be reached: ${messageOf(error)}`, { cause: error });
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
    throw new Error(`--into: ${at} is not a folder`);
  }
  if (at === path && (await readdir(at)).length > 0) {
    throw new Error(`--into: ${path} is not empty. Give an empty or new folder.`);
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
  const text = (await lstat(file)).isFile() ? await readFile(file, 'utf8') : '';
  const [ , body, digest ] = signature.exec(text) ?? [ '', '', '' ];
  return {
    note: parse(text, path),
    digest,
    isWhole: digest === createHash('sha256').update(body).digest('hex'),
  };
}

function parse(text: string, path: string): BackupNote {
  let note: BackupNote | null = null;
  try {
    note = parseOwn(text);
  } catch {
    // Without the note, the files of the backup are unknown.
    throw new Error(`${path} is damaged: ${noteFile} cannot be read, and without it the backup cannot be verified.`);
  }
  if (typeof note?.sha256 !== 'object' || !Array.isArray(note.folders)) {
    throw new TypeError(`${join(path, noteFile)} has no digests: an earlier version made it, or it is damaged.`);
  }
  return note;
}
