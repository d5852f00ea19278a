import { randomUUID } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { joinFilePath } from '@solid/community-server';
import { isThere } from '../../platform/fileState';
import { codeOf } from '../../platform/errors';
import { syncFolder } from './durableFiles';

/** Longer paths are not descended into: operating systems accept at most 4,096 bytes. */
const maxPathBytes = 1024;
/** Maximum time for which other work is blocked. */
const turnMs = 20;
/** Errors for folders that are mount points. */
export const immovable = new Set([ 'EBUSY', 'EXDEV' ]);
/** Errors for missing files and folders. */
const missing = new Set([ 'ENOENT', 'ENOTDIR' ]);

/**
 * Removes a folder with everything in it. First moves it away, so that it disappears at once and nobody adds to it; a
 * second call continues an interrupted one.
 *
 * @param folder - Path of the folder; nothing happens when it is missing.
 * @param drafts - Folder on the same file system, emptied at every start.
 *
 * @throws The first error of the file system, after everything else was removed.
 */
export async function removeTree(folder: string, drafts: string): Promise<void> {
  const moved = joinFilePath(drafts, `removed-${basename(folder)}`);
  await removeAll(moved);
  if (!isThere(folder)) {
    return;
  }
  try {
    await rename(folder, moved);
  } catch (error: unknown) {
    if (!immovable.has(codeOf(error))) {
      throw error;
    }
    await removeAll(folder);
    return;
  }
  await syncFolder(drafts);
  await syncFolder(dirname(folder));
  await removeAll(moved);
}

async function removeAll(root: string): Promise<void> {
  const failures: unknown[] = [];
  // Moving deep folders up may reveal deeper ones.
  do {
    await inTurns(removeEntries(root, root, failures));
  } while (failures.length === 0 && entriesOf(root).length > 0);
  if (failures.length > 0) {
    throw failures[0];
  }
  await rm(root, { recursive: true, force: true });
}

/** Removes entries one step at a time: handing each to another thread would wait for other requests in between. */
function* removeEntries(folder: string, root: string, failures: unknown[]): Generator<void> {
  for (const entry of entriesOf(folder)) {
    const path = joinFilePath(folder, entry.name);
    try {
      if (!entry.isDirectory()) {
        rmSync(path, { force: true });
      } else if (Buffer.byteLength(path) > maxPathBytes) {
        renameSync(path, joinFilePath(root, randomUUID()));
      } else {
        yield* removeEntries(path, root, failures);
        rmdirSync(path);
      }
    } catch (error: unknown) {
      if (!missing.has(codeOf(error))) {
        failures.push(error);
      }
    }
    yield;
  }
}

async function inTurns(steps: Iterator<void>): Promise<void> {
  let since = performance.now();
  while (!steps.next().done) {
    if (performance.now() - since > turnMs) {
      await setImmediate();
      since = performance.now();
    }
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error: unknown) {
    if (missing.has(codeOf(error))) {
      return [];
    }
    throw error;
  }
}
