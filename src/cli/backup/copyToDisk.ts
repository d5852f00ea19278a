import { constants } from 'node:fs';
import { copyFile, open } from 'node:fs/promises';

/**
 * Copies a file, and flushes the copy to the disk.
 *
 * @param from - The file.
 * @param to - The copy, replaced when it is there.
 * @param changedAt - The time that the copy has; now when absent.
 */
export async function copyToDisk(from: string, to: string, changedAt?: Date): Promise<void> {
  // At once where the file system can share blocks.
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
