/** Folder of the server's own values: below the root folder, and below the base URL. */
export const internalFolder = '.internal/';

/** Folder of files that are being written, below the root folder. */
export const draftsFolder = `${internalFolder}tempFiles`;

/** Checks whether a path below the root folder is in a folder of temporary files, which each start empties. */
export function isPassing(path: string): boolean {
  return /^\.internal\/(?:locks|tempFiles)(?:\/|$)/u.test(path);
}
