import { open, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
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
