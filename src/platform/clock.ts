/** Returns the time; a parameter, so that tests can choose it. */
export type Clock = () => Date;

/** Returns milliseconds since some moment, unaffected by changes of the clock; a parameter likewise. */
export type ElapsedMs = () => number;

/** Makes an identifier nobody can guess; a parameter, so that tests can choose it. */
export type NewId = () => string;

/** Seconds by which another party's clock may differ from ours. */
export const clockSkewSeconds = 60;

/** Returns true when a moment that another party named has passed, allowing for its clock. */
export function hasPassed(at: Date, now: Date): boolean {
  return at.getTime() < now.getTime() - clockSkewSeconds * 1000;
}
