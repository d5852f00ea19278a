import { mkdir, open, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes a folder and those above it that are missing: on the disk when it resolves. */
export async function makeFolder(path: string): Promise<void> {
  const highest = await mkdir(path, { recursive: true });
  if (highest !== undefined) {
    await syncFolders(dirname(path), dirname(highest));
  }
}

/** Writes a file: on the disk when it resolves. Where it is to stay, its folder is to be synced as well. */
export async function writeToDisk(path: string, text: string): Promise<void> {
  await writeFile(path, text);
  await sync(path, 'r+');
}

/** Without it a file that was added may be gone after a power cut, and one that was removed be there again. */
export async function syncFolder(path: string): Promise<void> {
  // Windows has no such thing.
  if (process.platform === 'win32') {
    return;
  }
  await sync(path, 'r');
}

/** The entries of a folder and of those above it, up to one of them. */
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
