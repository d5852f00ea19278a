import { open, writeFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from '../../platform/errors';
import { makeFolders } from '../../platform/makeFolders';

/** Creates a folder and its missing parents; on disk when it resolves. */
export async function makeFolder(path: string): Promise<void> {
  const highest = await makeFolders(path);
  if (highest !== undefined) {
    await syncFolders(dirname(path), dirname(highest));
  }
}

/**
 * Writes a file that nobody else can read; its content is on disk when it resolves. If the file is to stay, also sync
 * its folder.
 */
export async function writeToDisk(path: string, text: string): Promise<void> {
  await writeFile(path, text, { mode: 0o600 });
  await sync(path, 'r+');
}

/** Makes added and removed entries of folders durable: without this, a power cut may revert them. */
export type Flush = () => Promise<void>;

/** Runs work that adds, removes or renames files, and makes that durable, as {@link holdingFolders} does. */
export async function changeEntries<T>(files: readonly string[], work: () => Promise<T>): Promise<T> {
  return holdingFolders(files, async(flush): Promise<T> => {
    const result = await work();
    await flush();
    return result;
  });
}

/**
 * Runs work that adds, removes or renames files, with their folders open: where these cannot be opened, as without free
 * file handles, nothing changes.
 *
 * @param files - Paths of all files that it may add or remove. Missing folders are left to the work.
 * @param work - Flushes its changes.
 */
export async function holdingFolders<T>(files: readonly string[], work: (flush: Flush) => Promise<T>): Promise<T> {
  const folders: FileHandle[] = [];
  try {
    for (const folder of new Set(files.map((file): string => dirname(file)))) {
      folders.push(...await openFolder(folder));
    }
    return await work(async(): Promise<void> => {
      for (const folder of folders) {
        await folder.sync();
      }
    });
  } finally {
    await Promise.all(folders.map(async(folder): Promise<void> => folder.close()));
  }
}

/** Returns nothing for a missing folder, or on Windows, which cannot sync folders. */
async function openFolder(path: string): Promise<FileHandle[]> {
  if (process.platform === 'win32') {
    return [];
  }
  try {
    return [ await open(path, 'r') ];
  } catch (error: unknown) {
    if ([ 'ENOENT', 'ENOTDIR' ].includes(codeOf(error))) {
      return [];
    }
    throw error;
  }
}

/** Makes added and removed entries of a folder durable: without this, a power cut may revert them. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot sync folders.
  if (process.platform === 'win32') {
    return;
  }
  await sync(path, 'r');
}

/** Syncs the entries of a folder and of its parents, up to `highest`. */
async function syncFolders(lowest: string, highest: string): Promise<void> {
  await syncFolder(lowest);
  if (lowest.length > highest.length) {
    await syncFolders(dirname(lowest), highest);
  }
}

async function sync(path: string, flags: string): Promise<void> {
  const opened = await open(path, flags);
  await opened.sync().finally(async(): Promise<void> => opened.close());
}
