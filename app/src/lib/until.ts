const pattern =
  /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/u;

/** Units of a duration, in the order in which it has them. */
const units = [ 'year', 'month', 'week', 'day', 'hour', 'minute', 'second' ] as const;

/** Dates of a contract that decide how long access lasts. */
export interface Period {
  /** ISO 8601 duration. */
  accessDuration: string;
  /** ISO 8601 date, inclusive. */
  endDate?: string | null;
}

/**
 * End of access that is given now: the moment at which `accessDuration` has passed. None when the contract ends on a
 * day before. The service decides; this is for the page.
 */
export function endOfDuration({ accessDuration, endDate }: Period, now: Date): Date | undefined {
  const end = after(accessDuration, now);
  return endDate && endDate < dayOf(end) ? undefined : end;
}

/** The moment at which a duration has passed. */
function after(accessDuration: string, now: Date): Date {
  const [ years, months, weeks, days, hours, minutes, seconds ] = partsOf(accessDuration);
  const month = now.getFullYear() * 12 + now.getMonth() + years * 12 + months;
  const lastOfMonth = new Date(Math.floor(month / 12), month % 12 + 1, 0).getDate();
  const end = new Date(now);
  end.setFullYear(Math.floor(month / 12), month % 12, Math.min(now.getDate(), lastOfMonth));
  end.setDate(end.getDate() + weeks * 7 + days);
  end.setTime(end.getTime() + ((hours * 60 + minutes) * 60 + seconds) * 1000);
  return end;
}

/**
 * Last day of access that is given now, as an ISO 8601 date: that of the moment at which `accessDuration` has passed,
 * or `endDate` when that comes first.
 */
export function lastDay({ accessDuration, endDate }: Period, now: Date): string {
  const day = dayOf(after(accessDuration, now));
  return endDate && endDate < day ? endDate : day;
}

/** A duration in words, in all units that it has: `1 year and 6 months`. */
export function sayDuration(duration: string, locale: string): string {
  const parts = partsOf(duration).map((value, at): string => value === 0 ?
    '' :
      new Intl.NumberFormat(locale, { style: 'unit', unit: units[at], unitDisplay: 'long' }).format(value));
  return new Intl.ListFormat(locale).format(parts.filter(Boolean));
}

function partsOf(duration: string): number[] {
  return (pattern.exec(duration) ?? []).slice(1).map((part: string | undefined): number => Number(part ?? 0));
}

function dayOf(date: Date): string {
  return [ date.getFullYear(), date.getMonth() + 1, date.getDate() ]
    .map((part): string => String(part).padStart(2, '0')).join('-');
}
