/** Where the server keeps its own values: below the root folder, and below the base URL. */
export const internalFolder = '.internal/';

/** Files that are being written, below the root folder. */
export const draftsFolder = `${internalFolder}tempFiles`;

/** Checks whether a path below the root folder is in a folder of work in progress, which each start empties. */
export function isPassing(path: string): boolean {
  return /^\.internal\/(?:locks|tempFiles)(?:\/|$)/u.test(path);
}
