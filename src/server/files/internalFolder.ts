/** Where the server keeps its own values: below the root folder, and below the base URL. */
export const internalFolder = '.internal/';

/** Files that are being written, below the root folder. */
export const draftsFolder = `${internalFolder}tempFiles`;

/** Whether a path below the root folder is of what lasts only as long as somebody is at work: each start empties it. */
export function isPassing(path: string): boolean {
  return /^\.internal\/(?:locks|tempFiles)(?:\/|$)/u.test(path);
}
