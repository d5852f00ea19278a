import fc from 'fast-check';
import { DateTime } from 'luxon';
import { lastDay } from '../../../app/src/lib/until';
import { grantExpiry } from '../../../src/contracts/contractRules';
import type { Contract } from '../../../src/contracts/Contract';

/** The pages say the day that the service will decide on. */
describe('The last day of access', (): void => {
  it('is that of the grant.', (): void => {
    const zone = DateTime.local().zoneName;
    fc.assert(fc.property(
      fc.date({ min: new Date('2020-01-01T00:00:00Z'), max: new Date('2060-01-01T00:00:00Z'), noInvalidDate: true }),
      fc.record({ years: fc.nat(5), months: fc.nat(20), weeks: fc.nat(9), days: fc.nat(400), hours: fc.nat(50) }),
      (now, { years, months, weeks, days, hours }): void => {
        const accessDuration = `P${years}Y${months}M${weeks}W${days}DT${hours}H`;
        const end = grantExpiry({ accessDuration } as Contract, now, zone);
        expect(lastDay({ accessDuration }, now)).toBe(DateTime.fromJSDate(end).toISODate());
      },
    ));
  });

  it('is that of the contract when that comes first.', (): void => {
    const now = new Date('2026-11-22T12:00:00Z');
    expect(lastDay({ accessDuration: 'P1Y', endDate: '2027-01-31' }, now)).toBe('2027-01-31');
    expect(lastDay({ accessDuration: 'P1M', endDate: '2027-01-31' }, now)).toBe('2026-12-22');
  });
});
