import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes a folder and those above it that are missing: on the disk when it resolves. */
export async function makeFolder(path: string): Promise<void> {
  const highest = await mkdir(path, { recursive: true });
  if (highest !== undefined) {
    await syncFolders(dirname(path), dirname(highest));
  }
}

/** Without it a file that was added may be gone after a power cut, and one that was removed be there again. */
export async function syncFolder(path: string): Promise<void> {
  // Windows has no such thing.
  if (process.platform === 'win32') {
    return;
  }
  const folder = await open(path, 'r');
  await folder.sync().finally(async(): Promise<void> => folder.close());
}

/** The entries of a folder and of those above it, up to one of them. */
async function syncFolders(lowest: string, highest: string): Promise<void> {
  await syncFolder(lowest);
  if (lowest.length > highest.length) {
    await syncFolders(dirname(lowest), highest);
  }
}
