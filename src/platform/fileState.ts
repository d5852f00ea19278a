import type { BigIntStats } from 'node:fs';
import { lstatSync, statSync } from 'node:fs';
import { isOutage } from './outage';

/**
 * Properties of a file or folder that change when it is written or replaced; of a folder, when a file in it is added,
 * removed or renamed.
 */
export type FileState = Pick<BigIntStats, 'ctimeNs' | 'dev' | 'ino' | 'isDirectory' | 'isFile' | 'mtimeNs' | 'size'>;

const nanosecondsPerSecond = 1_000_000_000n;
const nanosecondsPerMs = 1_000_000n;
/** Time in which a file can change again without a new time, on file systems with times below a millisecond. */
const fineTimeMs = 100;
/** The corresponding time on other file systems. */
const coarseTimeMs = 2000;

/**
 * Returns the state of a file or folder; undefined when it is missing.
 *
 * @throws The error of the file system when the state cannot be read.
 */
export function stateOf(path: string): FileState | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}

/**
 * Checks whether a name exists, as a listing of its folder would show it: also as a broken link.
 *
 * @throws The error of the file system in an outage: what cannot be examined is not absent.
 */
export function isThere(path: string): boolean {
  return unlessOutage((): unknown => lstatSync(path, { throwIfNoEntry: false })) !== undefined;
}

/**
 * Examines a name, as it is or by a link; undefined where nothing can be at it, as below a file.
 *
 * @param examine - Examines the name.
 * @param mayFail - Checks, in an outage, whether the name counts as absent all the same.
 *
 * @throws The error of the file system in an outage: what cannot be examined is not absent.
 */
export function unlessOutage<T>(examine: () => T, mayFail = (): boolean => false): T | undefined {
  try {
    return examine();
  } catch (error: unknown) {
    if (isOutage(error) && !mayFail()) {
      throw error;
    }
    return undefined;
  }
}

/** Checks whether nothing has changed between two states, if the first was settled. */
export function isSameState(left: FileState, right: FileState): boolean {
  return left.ctimeNs === right.ctimeNs && left.mtimeNs === right.mtimeNs && left.size === right.size &&
    left.ino === right.ino && left.dev === right.dev;
}

/** Returns the time of the last write rounded to milliseconds, as in `Stats`: `BigIntStats` truncates it. */
export function modifiedOf({ mtimeNs }: Pick<FileState, 'mtimeNs'>): Date {
  const milliseconds = Number(mtimeNs / nanosecondsPerSecond) * 1000 + Number(mtimeNs % nanosecondsPerSecond) / 1e6;
  return new Date(Math.round(milliseconds));
}

/** Returns a text for a state, which differs whenever {@link isSameState} reports a change. */
export function nameOfState({ ctimeNs, dev, ino, mtimeNs, size }: FileState): string {
  return [ dev, ino, size, mtimeNs, ctimeNs ].join('/');
}

/** Checks whether any later change will change the times. */
export function isSettled(state: FileState, now: Date): boolean {
  return isQuiet(state, now, state.ctimeNs % nanosecondsPerMs === 0n ? coarseTimeMs : fineTimeMs);
}

/** Checks whether a file or folder has been unchanged for some time. */
export function isQuiet({ ctimeNs }: FileState, now: Date, milliseconds: number = coarseTimeMs): boolean {
  return now.getTime() - Number(ctimeNs / nanosecondsPerMs) > milliseconds;
}
