import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../../platform/clock';
import { messageOf } from '../../platform/errors';
import { RecordsSnapshot } from '../../storage/copies/RecordsSnapshot';
import { keepApart } from '../../platform/keepApart';
import type { BackupNote } from './BackupFolder';
import { BackupFolder, packagesFolder, podsFolder, recordsFile } from './BackupFolder';
import type { KnownPods } from './checkPods';
import { requirePods } from './checkPods';
import { copyPackages } from './copyPackages';
import { digestFiles, listBackup } from './digests';
import { FolderCopy } from './FolderCopy';

/** Source and target of a backup. */
export interface Backup {
  /** SQLite file. */
  records: string;
  rootFilePath: string;
  /** Folder of the packages of plan requests. */
  planPackages: string;
  /** The pods that the records know. */
  known: KnownPods;
  /** Missing or empty folder. */
  into: string;
  /** Called before anything is copied. */
  begin: () => Promise<void>;
  /** Receives reports of progress. */
  report: (line: string) => void;
  now: Clock;
  /** Maximum time to lock the records, in milliseconds. */
  longestHoldMs?: number;
}

/** Contents of a backup, and its digest. */
export interface BackedUp extends BackupNote {
  digest: string;
}

/** Default time to lock the records: a server waits ten seconds for the lock before it fails a request. */
const defaultHoldMs = 7000;
/** Time for a file system call in progress. */
const graceMs = 1000;
const maxAttempts = 5;
/** Maximum number of changes to copy while the records are locked. */
const fewChanges = 200;
const maxPasses = 5;

/**
 * Copies records, pods and the packages of plan requests as of one moment, while a server is running.
 *
 * First copies the files of pods while everything continues. Then locks the records, so that every operation stops
 * before its next recorded step. Copies the files changed until then, fixes the moment of the records, unlocks them,
 * and copies the records of that moment. The copy is the state that a crash at that moment would have left, from which
 * any start can recover. Finally reads the copy once for its digests, and writes the note with them that makes it a
 * backup.
 *
 * A failed backup is removed; a killed one has no note.
 *
 * @throws Error when the pods are not those of the records, when the target is not writable or not empty, or when files
 *   change faster than they can be copied.
 */
export async function backUp(backup: Backup): Promise<BackedUp> {
  const { records, rootFilePath, known, into, begin } = backup;
  keepApart(rootFilePath, { into });
  const snapshot = await RecordsSnapshot.open(records);
  try {
    await requirePods(rootFilePath, known);
    const folder = await BackupFolder.make(into);
    try {
      await begin();
      const note = await copyAll(snapshot, backup);
      return { ...note, digest: await folder.complete(note) };
    } catch (error: unknown) {
      await folder.clear();
      throw error;
    }
  } finally {
    snapshot.close();
  }
}

async function copyAll(
  snapshot: RecordsSnapshot,
  { rootFilePath, planPackages, into, report, now, longestHoldMs = defaultHoldMs }: Backup,
): Promise<BackupNote> {
  const pods = new FolderCopy(rootFilePath, join(into, podsFolder));
  const made = await copyAtOneMoment(snapshot, pods, report, now, longestHoldMs);
  report(`Copying the records, as they were at ${made}`);
  const { packages, ...copied } = await snapshot.copyTo(join(into, recordsFile));
  await copyPackages(planPackages, join(into, packagesFolder), packages, (id): boolean =>
    snapshot.needsPackage(id));
  await pods.finish();
  report('Reading the copy for its digests');
  const files: string[] = [];
  const folders: string[] = [];
  for await (const { path, kind } of listBackup(into)) {
    (kind === 'folder' ? folders : files).push(path);
  }
  const digests = await digestFiles(into, files.sort(), report, (path, error): never => {
    throw new Error(`--into: ${path} cannot be read again: ${messageOf(error)}`, { cause: error });
  });
  const sha256 = Object.fromEntries([ ...digests ].sort(([ one ], [ other ]): number => one < other ? -1 : 1));
  return { made, files: pods.size, ...copied, sha256, folders: folders.sort() };
}

/** Resolves when the copied files match the moment of the records, and the records are unlocked. */
async function copyAtOneMoment(
  snapshot: RecordsSnapshot,
  pods: FolderCopy,
  report: Backup['report'],
  now: Clock,
  longestHoldMs: number,
): Promise<string> {
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    await copyUntilFewChange(pods, report);
    snapshot.hold();
    const moment = now();
    try {
      if (await within(longestHoldMs, async(isLate): Promise<boolean> => copyUntilStill(pods, isLate))) {
        return moment.toISOString();
      }
    } finally {
      snapshot.release();
    }
    report('Files keep changing, or there are too many: trying again');
  }
  throw new Error('The files of the pods change faster than they can be copied, or there are too many of them: ' +
    'make the backup at a quieter hour, or by a snapshot of the file system');
}

async function copyUntilFewChange(pods: FolderCopy, report: Backup['report']): Promise<void> {
  let changes = Number.POSITIVE_INFINITY;
  for (let pass = 1; changes > fewChanges && pass <= maxPasses; pass += 1) {
    // Never late, so never stopped early.
    ({ changes } = (await pods.pass())!);
    report(`Pods: ${pods.size} files; ${changes} files and folders were new or changed`);
  }
}

/** Repeats passes until one finds no change that must be consistent with others. */
async function copyUntilStill(pods: FolderCopy, isLate: () => boolean): Promise<boolean> {
  for (;;) {
    const pass = await pods.pass(isLate);
    if (!pass) {
      return false;
    }
    if (pass.lasting === 0) {
      return true;
    }
  }
}

/** Runs work that checks by itself whether it is late, and abandons it when it hangs, as on a lost disk. */
async function within<T>(limitMs: number, work: (isLate: () => boolean) => Promise<T>): Promise<T> {
  const deadline = performance.now() + limitMs;
  const done = new AbortController();
  const stuck = setTimeout(limitMs + graceMs, undefined, { signal: done.signal }).then((): never => {
    throw new Error('--rootFilePath (-f): the file system of the pods does not respond');
  });
  try {
    return await Promise.race([ work((): boolean => performance.now() > deadline), stuck ]);
  } finally {
    done.abort();
    await stuck.catch((): undefined => undefined);
  }
}
