import type { BigIntStats } from 'node:fs';
import { lstatSync, statSync } from 'node:fs';

/**
 * Properties of a file or folder that change when it is written or replaced; of a folder, when a file in it is added,
 * removed or renamed.
 */
export type FileState = Pick<BigIntStats, 'ctimeNs' | 'dev' | 'ino' | 'isDirectory' | 'isFile' | 'mtimeNs' | 'size'>;

const nanosecondsPerSecond = 1_000_000_000n;
const nanosecondsPerMs = 1_000_000n;
/** How long a file can change again without a new time, where the file system gives times below a millisecond. */
const fineTimeMs = 100;
/** Where it does not. */
export const coarseTimeMs = 2000;

/**
 * The state of a file or folder; nothing when there is none.
 *
 * @throws The error of the file system when it cannot be told.
 */
export function stateOf(path: string): FileState | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}

/**
 * Checks whether a name exists, as a listing of its folder would show it: also as a link that leads nowhere.
 */
export function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** Checks whether nothing has changed between two looks, the first of which was at a settled state. */
export function isSameState(left: FileState, right: FileState): boolean {
  return left.ctimeNs === right.ctimeNs && left.mtimeNs === right.mtimeNs && left.size === right.size &&
    left.ino === right.ino && left.dev === right.dev;
}

/** The time of the last write as `Stats` has it, rounded to milliseconds: `BigIntStats` cuts it off. */
export function modifiedOf({ mtimeNs }: Pick<FileState, 'mtimeNs'>): Date {
  const milliseconds = Number(mtimeNs / nanosecondsPerSecond) * 1000 + Number(mtimeNs % nanosecondsPerSecond) / 1e6;
  return new Date(Math.round(milliseconds));
}

/** A name of a state: another one whenever {@link isSameState} would say that something has changed. */
export function nameOfState({ ctimeNs, dev, ino, mtimeNs, size }: FileState): string {
  return [ dev, ino, size, mtimeNs, ctimeNs ].join('/');
}

/** Checks whether any later change is sure to give another time. */
export function isSettled(state: FileState, now: Date): boolean {
  return isQuiet(state, now, state.ctimeNs % nanosecondsPerMs === 0n ? coarseTimeMs : fineTimeMs);
}

/** Checks whether nothing has changed for some time. */
export function isQuiet({ ctimeNs }: FileState, now: Date, milliseconds: number = coarseTimeMs): boolean {
  return now.getTime() - Number(ctimeNs / nanosecondsPerMs) > milliseconds;
}
