import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from './errors';

/**
 * Makes a folder and those above it that are missing. Like `mkdir` with `recursive`, but for one thing: that tries for
 * ever where a file system takes no folders, as under `/proc`.
 *
 * @param path - Absolute.
 * @param mode - Of the folders that are made.
 *
 * @returns The highest one that was made; nothing when it was there.
 *
 * @throws Error of the file system when it cannot be made.
 */
export async function makeFolders(path: string, mode?: number): Promise<string | undefined> {
  try {
    return await make(path, mode);
  } catch (error: unknown) {
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) {
      throw error;
    }
  }
  const highest = await makeFolders(dirname(path), mode);
  const made = await make(path, mode);
  return highest ?? made;
}

async function make(path: string, mode?: number): Promise<string | undefined> {
  try {
    await mkdir(path, { mode });
    return path;
  } catch (error: unknown) {
    if (codeOf(error) !== 'EEXIST') {
      throw error;
    }
  }
}
