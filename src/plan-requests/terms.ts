import { DateTime } from 'luxon';

/** Time zone of working days. */
const zone = 'Europe/Brussels';

/** Lengths of terms, in working days. */
export interface Terms {
  /** For an operator to confirm. */
  confirm: number;
  /** For an operator to answer. */
  answer: number;
  /** For the complete answer. */
  package: number;
  /** Replaces the last two for operators in the federal registry, and for requests that involve one. */
  klim: number;
}

/** Holidays with the same date every year. */
const fixed = new Set([ '01-01', '05-01', '07-21', '08-15', '11-01', '11-11', '12-25' ]);
/** Other holidays, in days after Easter: Easter Monday, Ascension Day, Whit Monday. */
const afterEaster = [ 1, 39, 50 ];

/**
 * Returns Easter Sunday of a year.
 *
 * @see "A New York correspondent", Nature 13, 487 (1876): the Gregorian algorithm of Meeus, Jones and Butcher
 */
export function easterOf(year: number): DateTime {
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const corrected = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3);
  const epact = ((19 * golden) + century - Math.floor(century / 4) - corrected + 15) % 30;
  const rest = year % 100;
  const weekday = (32 + (2 * (century % 4)) + (2 * Math.floor(rest / 4)) - epact - (rest % 4)) % 7;
  const late = Math.floor((golden + (11 * epact) + (22 * weekday)) / 451);
  const days = epact + weekday - (7 * late) + 114;
  return DateTime.fromObject({ year, month: Math.floor(days / 31), day: (days % 31) + 1 }, { zone });
}

/** Checks whether a day is neither on a weekend nor a public holiday in Belgium. */
export function isWorkingDay(day: DateTime): boolean {
  return day.weekday <= 5 && !fixed.has(day.toFormat('MM-dd')) &&
    !afterEaster.some((days): boolean => easterOf(day.year).plus({ days }).hasSame(day, 'day'));
}

/**
 * Returns the end of a term: midnight in Belgium after the given number of working days, not counting the day on which
 * it begins.
 */
export function endOfTerm(begin: Date, workingDays: number): Date {
  let day = DateTime.fromJSDate(begin, { zone }).startOf('day');
  for (let left = workingDays; left > 0;) {
    day = day.plus({ days: 1 });
    left -= isWorkingDay(day) ? 1 : 0;
  }
  return day.plus({ days: 1 }).toJSDate();
}

/** Returns the beginning of the last working day of a term. */
export function lastWorkingDayOf(end: Date): Date {
  let day = DateTime.fromJSDate(end, { zone }).minus({ days: 1 });
  while (!isWorkingDay(day)) {
    day = day.minus({ days: 1 });
  }
  return day.toJSDate();
}

/** Returns when a request received at a given time is archived. */
export function archivedAt(received: Date): Date {
  return DateTime.fromJSDate(received, { zone }).plus({ years: 1 }).toJSDate();
}

/** Returns the date in Belgium at a moment, such as `2026-11-23`. */
export function dateAt(moment: Date): string {
  return DateTime.fromJSDate(moment, { zone }).toFormat('yyyy-MM-dd');
}
