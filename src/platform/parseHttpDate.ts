import { systemClock } from './clock';

/** The preferred format, and two obsolete ones that recipients must accept. */
const forms = [
  /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/u,
  /^[A-Z][a-z]{5,8}, (\d\d-[A-Z][a-z]{2}-)(\d\d)( \d\d:\d\d:\d\d GMT)$/u,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/u,
];

/**
 * Parses the date of a header, also in the two obsolete formats.
 *
 * @param text - Value of the header, if there is one.
 * @param now - Decides the century of a year of two digits, which is at most 50 years ahead.
 *
 * @returns Undefined for any other text, which is ignored.
 *
 * @see [RFC 9110, section 5.6.7](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7)
 */
export function parseHttpDate(text: string | undefined, now = systemClock()): Date | undefined {
  if (text === undefined || !forms.some((form): boolean => form.test(text))) {
    return undefined;
  }
  const [ , day, year, rest ] = forms[1].exec(text) ?? [];
  const date = day === undefined ? inGmt(text) : inCentury(now, (of): Date => new Date(`${day}${of}${year}${rest}`));
  // The day is the first number. JavaScript reads the 30th of February as the second of March, 24:00 as the next day.
  return Number(/\d+/u.exec(text)) === date.getUTCDate() ? date : undefined;
}

function inGmt(text: string): Date {
  return new Date(text.endsWith(' GMT') ? text : `${text} GMT`);
}

/** Returns the latest of the dates that is at most 50 years ahead. */
function inCentury(now: Date, dateOf: (century: number) => Date): Date {
  const latest = new Date(now);
  latest.setUTCFullYear(now.getUTCFullYear() + 50);
  const century = Math.floor(latest.getUTCFullYear() / 100);
  const date = dateOf(century);
  return date > latest ? dateOf(century - 1) : date;
}
