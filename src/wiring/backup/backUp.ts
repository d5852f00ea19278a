import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../clock';
import type { RecordsCopied } from '../../storage/copies/RecordsSnapshot';
import { RecordsSnapshot } from '../../storage/copies/RecordsSnapshot';
import { syncFolder, writeToDisk } from '../pods/durableFiles';
import { keepApart } from '../keepApart';
import { FolderCopy } from './FolderCopy';

/** What is backed up, and where to. */
export interface Backup {
  /** SQLite file. */
  records: string;
  rootFilePath: string;
  /** Folder that is not there yet, or empty. */
  into: string;
  /** Called when nothing is copied yet. */
  begin: () => Promise<void>;
  /** Hears how far the work is. */
  tell: (line: string) => void;
  now: Clock;
}

/** What a backup has in it. */
export interface BackedUp extends RecordsCopied {
  made: string;
  files: number;
}

/** Name of the file that says that a backup is complete. */
export const backupNote = 'backup.json';

/** A server waits ten seconds for the lock of the records before it gives up on a request. */
const longestHoldMs = 7000;
const maxAttempts = 5;
/** So many changes are few enough to be taken over while nobody writes. */
const fewChanges = 200;
const maxPasses = 5;

/**
 * Copies records and pods, as they were at one moment, while a server serves.
 *
 * The files of pods are copied first, while everything goes on. Then the records are held: whoever is in the middle of
 * something comes to a stop before the next step that is recorded. What has changed in the files until they are still
 * is copied, the moment of the records is kept, and they are let go. Last of all, the records of it are copied. So
 * the copy is what a crash at that moment would have left behind, which every start can go on from.
 *
 * @throws Error when the target is not empty, or when files change faster than they can be copied.
 */
export async function backUp({ records, rootFilePath, into, begin, tell, now }: Backup): Promise<BackedUp> {
  keepApart(rootFilePath, { into });
  await mkdir(into, { recursive: true, mode: 0o700 });
  if ((await readdir(into)).length > 0) {
    throw new Error(`--into: ${into} is not empty`);
  }
  const pods = new FolderCopy(rootFilePath, join(into, 'pods'));
  const snapshot = await RecordsSnapshot.open(records);
  try {
    await begin();
    const made = await holdMoment(snapshot, pods, tell, now);
    tell(`Copying the records, as they were at ${made}`);
    const copied = await snapshot.copyTo(join(into, 'records.sqlite'));
    await pods.finish();
    const note = { made, files: pods.size, ...copied };
    await writeToDisk(join(into, backupNote), `${JSON.stringify(note, undefined, 2)}\n`);
    await syncFolder(into);
    return note;
  } finally {
    snapshot.close();
  }
}

/** Resolves when the copy of the files is of the moment of the records, and these are let go. */
async function holdMoment(snapshot: RecordsSnapshot, pods: FolderCopy, tell: Backup['tell'], now: Clock):
Promise<string> {
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    await copyUntilFewChange(pods, tell);
    snapshot.hold();
    const moment = now();
    try {
      if (await copyUntilStill(pods, (): boolean => now().getTime() - moment.getTime() > longestHoldMs)) {
        return moment.toISOString();
      }
    } finally {
      snapshot.release();
    }
    tell('Files changed for too long, or there are too many: trying again');
  }
  throw new Error('The files of the pods change faster than they can be copied, or there are too many of them: ' +
    'make the backup at a quieter hour, or by a snapshot of the file system');
}

async function copyUntilFewChange(pods: FolderCopy, tell: Backup['tell']): Promise<void> {
  let changes = Number.POSITIVE_INFINITY;
  for (let pass = 1; changes > fewChanges && pass <= maxPasses; pass += 1) {
    ({ changes } = (await pods.pass())!);
    tell(`Pods: ${pods.size} files; ${changes} files and folders were new or changed`);
  }
}

/** Until a pass finds nothing that belongs together with others. */
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
