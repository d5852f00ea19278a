import { DateTime } from 'luxon';
import { easterOf, endOfTerm, isWorkingDay } from '../../../src/plan-requests/terms';

function day(text: string): DateTime {
  return DateTime.fromISO(text, { zone: 'Europe/Brussels' });
}

describe('Terms in working days', (): void => {
  it('know the published dates of Easter.', (): void => {
    for (const date of [
      '1961-04-02',
      '2000-04-23',
      '2008-03-23',
      '2011-04-24',
      '2024-03-31',
      '2025-04-20',
      '2026-04-05',
      '2027-03-28',
      '2028-04-16',
      '2029-04-01',
      '2030-04-21',
      '2038-04-25',
      '2049-04-18',
      '2076-04-19',
    ]) {
      expect(easterOf(day(date).year).toISODate()).toBe(date);
    }
  });

  it('leave out weekends and the public holidays of Belgium.', (): void => {
    const holidays = new Set([
      '2026-01-01',
      '2026-04-06',
      '2026-05-01',
      '2026-05-14',
      '2026-05-25',
      '2026-07-21',
      '2026-08-15',
      '2026-11-01',
      '2026-11-11',
      '2026-12-25',
    ]);
    let free = 0;
    for (let at = day('2026-01-01'); at.year === 2026; at = at.plus({ days: 1 })) {
      const isFree = at.weekday > 5 || holidays.has(at.toISODate()!);
      expect([ at.toISODate(), isWorkingDay(at) ]).toEqual([ at.toISODate(), !isFree ]);
      free += Number(isFree);
    }
    // 52 Saturdays and Sundays, and eight holidays on other days.
    expect(free).toBe(112);
  });

  it.each([
    [ 'a weekend', '2026-11-20T10:00:00+01:00', 2, '2026-11-25T00:00:00+01:00' ],
    [ 'a request on a Sunday', '2026-11-22T23:59:00+01:00', 2, '2026-11-25T00:00:00+01:00' ],
    [ 'Easter', '2026-04-02T10:00:00+02:00', 2, '2026-04-08T00:00:00+02:00' ],
    [ 'Christmas and the new year', '2026-12-23T10:00:00+01:00', 7, '2027-01-06T00:00:00+01:00' ],
    [ 'Ascension Day', '2026-05-13T10:00:00+02:00', 5, '2026-05-22T00:00:00+02:00' ],
    [ 'the change to summer time', '2026-03-27T10:00:00+01:00', 2, '2026-04-01T00:00:00+02:00' ],
    [ 'the hour in which Belgium has another day', '2026-11-22T23:30:00Z', 1, '2026-11-25T00:00:00+01:00' ],
    [ 'three weeks and two holidays', '2026-05-12T10:00:00+02:00', 15, '2026-06-05T00:00:00+02:00' ],
  ])('end after %s.', (_, begin, days, end): void => {
    expect(endOfTerm(new Date(begin), days)).toEqual(new Date(end));
  });
});
