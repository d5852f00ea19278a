import { Duration } from 'luxon';

/** Weeks stand alone; units follow each other from the longest on, each once; only seconds have a fraction. */
const form = /^P(?:\d+W|(?=\d|T\d)(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?)$/u;

/**
 * Parses an ISO 8601 duration; `undefined` for any other text, also for what libraries read as one, such as `P1Y1W`.
 *
 * @see [RFC 3339, appendix A](https://www.rfc-editor.org/rfc/rfc3339#appendix-A)
 */
export function findDuration(text: string): Duration | undefined {
  return form.test(text) ? Duration.fromISO(text) : undefined;
}
