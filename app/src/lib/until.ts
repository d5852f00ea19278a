const pattern =
  /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/u;

/** Dates of a contract that decide how long access lasts. */
export interface Period {
  /** ISO 8601 duration. */
  accessDuration: string;
  /** ISO 8601 date, inclusive. */
  endDate?: string | null;
}

/**
 * Last day of access that is given now, as an ISO 8601 date: that of the moment at which `accessDuration` has passed,
 * or `endDate` when that comes first. The service decides; this is for the page.
 */
export function lastDay({ accessDuration, endDate }: Period, now: Date): string {
  const [ years, months, weeks, days, hours, minutes, seconds ] =
    (pattern.exec(accessDuration) ?? []).slice(1).map((part: string | undefined): number => Number(part ?? 0));
  const month = now.getFullYear() * 12 + now.getMonth() + years * 12 + months;
  const lastOfMonth = new Date(Math.floor(month / 12), month % 12 + 1, 0).getDate();
  const end = new Date(now);
  end.setFullYear(Math.floor(month / 12), month % 12, Math.min(now.getDate(), lastOfMonth));
  end.setDate(end.getDate() + weeks * 7 + days);
  end.setTime(end.getTime() + ((hours * 60 + minutes) * 60 + seconds) * 1000);
  const day = [ end.getFullYear(), end.getMonth() + 1, end.getDate() ]
    .map((part): string => String(part).padStart(2, '0')).join('-');
  return endDate && endDate < day ? endDate : day;
}
