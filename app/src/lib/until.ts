const pattern =
  /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/u;

/** Units of a duration, in ISO 8601 order. */
const units = [ 'year', 'month', 'week', 'day', 'hour', 'minute', 'second' ] as const;

/** The members of a contract that determine how long access lasts. */
export interface Period {
  /** ISO 8601 duration. */
  accessDuration: string;
  /** ISO 8601 date, inclusive. */
  endDate?: string | null;
}

/**
 * Returns when access granted now ends by `accessDuration`; `undefined` when the contract ends on an earlier day. Only
 * for display: the service decides.
 *
 * @param period - Members of the contract.
 * @param now - The time of the grant.
 * @param timeZone - IANA time zone of its dates; the reader's by default.
 */
export function endOfDuration(period: Period, now: Date, timeZone?: string): Date | undefined {
  const { accessDuration, endDate } = period;
  const end = after(accessDuration, now, timeZone);
  return endDate && endDate < dayOf(end, timeZone) ? undefined : end;
}

/** The moment at which a duration has passed. */
function after(accessDuration: string, now: Date, timeZone: string | undefined): Date {
  const [ years, months, weeks, days, hours, minutes, seconds ] = partsOf(accessDuration);
  const end = clockOf(now, timeZone);
  const month = end.getUTCFullYear() * 12 + end.getUTCMonth() + years * 12 + months;
  const lastOfMonth = new Date(Date.UTC(Math.floor(month / 12), month % 12 + 1, 0)).getUTCDate();
  end.setUTCFullYear(Math.floor(month / 12), month % 12, Math.min(end.getUTCDate(), lastOfMonth));
  end.setUTCDate(end.getUTCDate() + weeks * 7 + days);
  const moment = momentOf(end, now, timeZone);
  moment.setTime(moment.getTime() + ((hours * 60 + minutes) * 60 + seconds) * 1000);
  return moment;
}

/**
 * Returns the last day of access granted now, as an ISO 8601 date: the day on which `accessDuration` ends, or `endDate`
 * if that is earlier.
 *
 * @param period - Members of the contract.
 * @param now - The time of the grant.
 * @param timeZone - IANA time zone of its dates; the reader's by default.
 */
export function lastDay(period: Period, now: Date, timeZone?: string): string {
  const { accessDuration, endDate } = period;
  const day = dayOf(after(accessDuration, now, timeZone), timeZone);
  return endDate && endDate < day ? endDate : day;
}

/** Returns the day of a moment in a time zone, as an ISO 8601 date; in the reader's by default. */
export function dayOf(moment: Date, timeZone?: string): string {
  return clockOf(moment, timeZone).toISOString().slice(0, 10);
}

/**
 * Parses an ISO 8601 moment; an invalid date for other texts.
 *
 * @param text - Without a time zone, the time of a clock in `timeZone`.
 * @param timeZone - IANA time zone; the reader's by default.
 */
export function parseMoment(text: string, timeZone?: string): Date {
  if (!/T[\d:.]+$/u.test(text)) {
    return new Date(text);
  }
  const clock = new Date(`${text}Z`);
  return Number.isNaN(clock.getTime()) ? clock : momentOf(clock, clock, timeZone);
}

/** Formats a duration in words, with all of its units: `1 year and 6 months`. */
export function formatDuration(duration: string, locale: string): string {
  const parts = partsOf(duration).map((value, at): string => value === 0 ?
    '' :
      new Intl.NumberFormat(locale, { style: 'unit', unit: units[at], unitDisplay: 'long' }).format(value));
  return new Intl.ListFormat(locale).format(parts.filter(Boolean));
}

function partsOf(duration: string): number[] {
  return (pattern.exec(duration) ?? []).slice(1).map((part: string | undefined): number => Number(part ?? 0));
}

/** Formats of clocks by time zone, because creating one takes far longer than using it. */
const clocks = new Map<string | undefined, Intl.DateTimeFormat>();

/** Returns the time of a clock in a time zone at a moment, as if it were UTC. */
function clockOf(moment: Date, timeZone: string | undefined): Date {
  const clock = clocks.get(timeZone) ?? new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  clocks.set(timeZone, clock);
  const parts = Object.fromEntries(clock.formatToParts(moment).map(({ type, value }): [string, number] =>
    [ type, Number(value) ]));
  const { day, hour, minute, month, second, year } = parts;
  return new Date(Date.UTC(year, month - 1, day, hour, minute, second, moment.getUTCMilliseconds()));
}

/**
 * The moment at which a clock in a time zone shows something. When the clock is set back it shows that twice, and when
 * it is set forward not at all.
 *
 * @param clock - What it shows, as if it were UTC.
 * @param near - Moment whose distance from UTC is tried first.
 * @param timeZone - IANA time zone; the reader's by default.
 */
function momentOf(clock: Date, near: Date, timeZone: string | undefined): Date {
  function distanceAt(moment: number): number {
    return clockOf(new Date(moment), timeZone).getTime() - moment;
  }
  const first = distanceAt(near.getTime());
  const second = distanceAt(clock.getTime() - first);
  const third = distanceAt(clock.getTime() - second);
  return new Date(clock.getTime() - (first === second || second === third ? second : Math.min(second, third)));
}
