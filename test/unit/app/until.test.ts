import { DateTime } from 'luxon';
import { endOfDuration, formatDuration, lastDay } from '../../../app/src/lib/until';
import { grantExpiry } from '../../../src/contracts/contractRules';
import type { Contract } from '../../../src/contracts/Contract';
import { fc } from '../../support/properties';

/** The pages must show the day that the service decides on. */
describe('The last day of access', (): void => {
  it('is that of the grant.', (): void => {
    fc.assert(fc.property(
      fc.date({ min: new Date('2010-01-01T00:00:00Z'), max: new Date('2060-01-01T00:00:00Z'), noInvalidDate: true }),
      // The reader's, those of the service, and one that skipped a day.
      fc.constantFrom(undefined, 'Europe/Brussels', 'America/New_York', 'Pacific/Apia'),
      fc.record({ years: fc.nat(5), months: fc.nat(20), weeks: fc.nat(9), days: fc.nat(400), hours: fc.nat(50) }),
      (now, timeZone, { years, months, weeks, days, hours }): void => {
        const zone = timeZone ?? DateTime.local().zoneName;
        const accessDuration = `P${years}Y${months}M${weeks}W${days}DT${hours}H`;
        const end = grantExpiry({ accessDuration } as Contract, now, zone);
        expect(lastDay({ accessDuration }, now, timeZone)).toBe(DateTime.fromJSDate(end, { zone }).toISODate());
        expect(endOfDuration({ accessDuration }, now, timeZone)).toEqual(end);
      },
    ));
  });

  it('is that of the contract when that comes first.', (): void => {
    const now = new Date('2026-11-22T12:00:00Z');
    expect(lastDay({ accessDuration: 'P1Y', endDate: '2027-01-31' }, now, 'UTC')).toBe('2027-01-31');
    expect(lastDay({ accessDuration: 'P1M', endDate: '2027-01-31' }, now, 'UTC')).toBe('2026-12-22');
  });
});

describe('A duration', (): void => {
  it.each([
    [ 'P6M', 'en-GB', '6 months' ],
    [ 'P1Y6M', 'en-GB', '1 year and 6 months' ],
    [ 'P1Y6M', 'nl-BE', '1 jaar en 6 maanden' ],
    [ 'P1Y6M', 'fr-BE', '1 an et 6 mois' ],
    [ 'P1Y6M', 'de-BE', '1 Jahr und 6 Monate' ],
    [ 'P2W1DT12H30M', 'en-GB', '2 weeks, 1 day, 12 hours and 30 minutes' ],
    [ 'P0Y1M', 'en-GB', '1 month' ],
    [ 'PT1S', 'nl-BE', '1 seconde' ],
  ])('of %s in %s is %s.', (duration, locale, text): void => {
    expect(formatDuration(duration, locale).replaceAll('\u00A0', ' ')).toBe(text);
  });

  it('ends at a moment, unless the contract ends on an earlier day.', (): void => {
    const now = new Date('2026-11-22T12:00:00Z');
    const tomorrow = new Date('2026-11-23T12:00:00Z');
    expect(endOfDuration({ accessDuration: 'PT24H' }, now, 'UTC')).toEqual(tomorrow);
    expect(endOfDuration({ accessDuration: 'PT24H', endDate: '2026-11-23' }, now, 'UTC')).toEqual(tomorrow);
    expect(endOfDuration({ accessDuration: 'PT24H', endDate: '2026-11-22' }, now, 'UTC')).toBeUndefined();
  });
});
