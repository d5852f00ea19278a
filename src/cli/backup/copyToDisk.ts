import { constants } from 'node:fs';
import { copyFile, open } from 'node:fs/promises';

/**
 * Copies a file, and flushes the copy to disk.
 *
 * @param from - The file.
 * @param to - The copy, replaced if it exists.
 * @param changedAt - Modification time of the copy; defaults to now.
 */
export async function copyToDisk(from: string, to: string, changedAt?: Date): Promise<void> {
  // Immediate on file systems that can share blocks.
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  const copy = await open(to, 'r+');
  try {
    if (changedAt) {
      await copy.utimes(changedAt, changedAt);
    }
    await copy.sync();
  } finally {
    await copy.close();
  }
}
