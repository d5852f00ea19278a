/** Returns the time; a parameter, so that tests can choose it. */
export type Clock = () => Date;

/** Returns the time of this machine. */
export function systemClock(): Date {
  return new Date();
}

/**
 * Returns milliseconds since some moment, unaffected by changes of the clock; a parameter, so that tests can choose it.
 */
export type ElapsedMs = () => number;

/** Makes an unguessable identifier; a parameter, so that tests can choose it. */
export type NewId = () => string;

/** Seconds by which another party's clock may differ from ours. */
export const clockSkewSeconds = 60;

/** Checks whether a time set by another party has passed, allowing for clock skew. */
export function hasPassed(at: Date, now: Date): boolean {
  return firstPassed(at) <= now;
}

/** Returns the first moment for which {@link hasPassed} is true. */
export function firstPassed(at: Date): Date {
  return new Date(at.getTime() + clockSkewSeconds * 1000 + 1);
}

/** Checks for a day that exists, such as `2026-02-28`: JavaScript reads the 30th of February as the second of March. */
export function isDay(day: string): boolean {
  const date = new Date(day);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

/**
 * Checks whether a time is in one of the years 0 to 9999 in UTC, as `9999-12-31T23:59:59-05:00` and an invalid date are
 * not. `toISOString` writes other years with a sign and six digits, which RFC 3339 does not allow.
 */
export function isWritable(at: Date): boolean {
  const year = at.getUTCFullYear();
  return year >= 0 && year <= 9999;
}
