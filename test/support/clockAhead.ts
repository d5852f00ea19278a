/** A clock ahead of the files that a test has just written, so that caches trust their times. */
export function clockAhead(): Date {
  return new Date(Date.now() + 60_000);
}
