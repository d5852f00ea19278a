import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { draftFile, noteFile } from './BackupFolder';

/** An entry of a backup, by its path. */
export interface BackupEntry {
  path: string;
  kind: 'file' | 'folder' | 'other';
}

const filesAtOnce = 8;
const secondsBetweenLines = 5;

/** Lists all entries of a backup except its note. Does not follow links: `backup` makes none. */
export async function* listBackup(root: string, folder = ''): AsyncGenerator<BackupEntry> {
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      yield { path, kind: 'folder' };
      yield* listBackup(root, path);
    } else if (path !== noteFile && path !== draftFile) {
      yield { path, kind: entry.isFile() ? 'file' : 'other' };
    }
  }
}

/**
 * Computes the SHA-256, in hex, of files, in pieces and several at a time.
 *
 * @param root - Folder of the backup.
 * @param paths - Files in it.
 * @param report - Receives a report of progress every few seconds.
 * @param onError - Called for a file that cannot be read, which gets no digest.
 */
export async function digestFiles(
  root: string,
  paths: readonly string[],
  report: (line: string) => void,
  onError: (path: string, error: unknown) => void,
): Promise<Map<string, string>> {
  const digests = new Map<string, string>();
  let next = 0;
  let reportedAt = performance.now();
  async function work(): Promise<void> {
    while (next < paths.length) {
      const path = paths[next];
      next += 1;
      try {
        digests.set(path, await digestOf(join(root, path)));
      } catch (error: unknown) {
        onError(path, error);
      }
      if (performance.now() - reportedAt > secondsBetweenLines * 1000) {
        reportedAt = performance.now();
        report(`Read ${digests.size} of ${paths.length} files`);
      }
    }
  }
  await Promise.all(Array.from({ length: filesAtOnce }, work));
  return digests;
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
