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
 * Returns the last day of access granted now, as an ISO 8601 date: the day on which `accessDuration` ends, or `endDate`
 * if that is earlier.
 */
export function lastDay({ accessDuration, endDate }: Period, now: Date): string {
  const day = dayOf(after(accessDuration, now));
  return endDate && endDate < day ? endDate : day;
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

function dayOf(date: Date): string {
  return [ date.getFullYear(), date.getMonth() + 1, date.getDate() ]
    .map((part): string => String(part).padStart(2, '0')).join('-');
}
