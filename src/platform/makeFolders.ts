import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from './errors';

/**
 * Creates a folder and its missing parents. Unlike `mkdir` with `recursive`, it does not retry forever where a file
 * system refuses folders, as under `/proc`.
 *
 * @param path - Absolute path of the folder.
 * @param mode - Permissions of created folders.
 *
 * @returns The highest folder that was created; nothing when the folder existed.
 *
 * @throws Error of the file system when a folder cannot be created.
 */
export async function makeFolders(path: string, mode?: number): Promise<string | undefined> {
  try {
    return await makeFolder(path, mode);
  } catch (error: unknown) {
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) {
      throw error;
    }
  }
  const highest = await makeFolders(dirname(path), mode);
  const made = await makeFolder(path, mode);
  return highest ?? made;
}

/**
 * Creates a folder and its missing parents before it returns, as {@link makeFolders}, and checks that it is a folder in
 * which files can be made.
 *
 * @param path - Absolute path of the folder.
 *
 * @throws Error of the file system when it is not.
 */
export function makeWritableFolderSync(path: string): void {
  makeFoldersSync(path);
  // With the slash, anything but a folder is an error.
  statSync(join(path, '/'));
  accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
}

function makeFoldersSync(path: string): void {
  try {
    makeFolderSync(path);
  } catch (error: unknown) {
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) {
      throw error;
    }
    makeFoldersSync(dirname(path));
    makeFolderSync(path);
  }
}

function makeFolderSync(path: string): void {
  try {
    mkdirSync(path);
  } catch (error: unknown) {
    if (codeOf(error) !== 'EEXIST') {
      throw error;
    }
  }
}

/**
 * Creates a folder in one that exists.
 *
 * @param path - Path of the folder.
 * @param mode - Its permissions.
 *
 * @returns The path; nothing when something has it already.
 */
export async function makeFolder(path: string, mode?: number): Promise<string | undefined> {
  try {
    await mkdir(path, { mode });
    return path;
  } catch (error: unknown) {
    if (codeOf(error) !== 'EEXIST') {
      throw error;
    }
  }
}
