import type { Contract } from '../../../src/contracts/Contract';
import { agreementDigest, consumable, grantExpiry, isDate, isDuration } from '../../../src/contracts/contractRules';
import { parseWebId } from '../../../src/platform/webId';

const zone = 'Europe/Brussels';
const contract: Contract = {
  id: 'job-1',
  uri: 'https://pods.example/v1/contracts/job-1',
  forDataUser: parseWebId('https://pods.example/consumer/profile/card#me'),
  forDataType: [ 'https://types.example/a', 'https://types.example/b' ],
  forPurpose: 'https://purposes.example/employment',
  accessMode: 'READ',
  accessDuration: 'P30D',
  digest: '',
  document: {},
};

describe('The rules of contracts', (): void => {
  it('let a grant last as long as the contract specifies.', (): void => {
    expect(grantExpiry(contract, new Date('2025-05-01T10:00:00Z'), zone)).toEqual(new Date('2025-05-31T10:00:00Z'));
  });

  it('count days on the calendar when the clocks change.', (): void => {
    const expiry = grantExpiry({ ...contract, accessDuration: 'P1D' }, new Date('2025-03-29T11:00:00Z'), zone);
    expect(expiry).toEqual(new Date('2025-03-30T10:00:00Z'));
  });

  it('end a grant no later than the last day of the contract.', (): void => {
    const ending = { ...contract, endDate: '2025-05-10' };
    expect(grantExpiry(ending, new Date('2025-05-01T10:00:00Z'), zone)).toEqual(new Date('2025-05-10T22:00:00Z'));
    expect(grantExpiry(ending, new Date('2025-05-01T10:00:00Z'), 'UTC')).toEqual(new Date('2025-05-11T00:00:00Z'));
  });

  it('end the last day correctly when the clocks change at midnight.', (): void => {
    const ending = { ...contract, endDate: '2025-10-26' };
    expect(consumable([ ending ], new Date('2025-10-26T22:59:59Z'), zone)).toEqual([ ending ]);
    expect(consumable([ ending ], new Date('2025-10-26T23:00:00Z'), zone)).toEqual([]);
  });

  it('let a contract without dates always be consumed.', (): void => {
    expect(consumable([ contract ], new Date(0), zone)).toEqual([ contract ]);
    expect(consumable([ contract ], new Date('2999-01-01'), zone)).toEqual([ contract ]);
  });

  it('give agreements that differ different digests.', (): void => {
    const same = { ...contract, forDataType: [ ...contract.forDataType ].reverse(), startDate: '2025-01-01' };
    expect(agreementDigest(same)).toBe(agreementDigest(contract));
    expect(agreementDigest(contract)).toMatch(/^[\da-f]{64}$/u);
    expect(agreementDigest({ ...contract, accessDuration: 'P31D' })).not.toBe(agreementDigest(contract));
  });

  it('tell dates from text that only looks like one.', (): void => {
    expect([ '2024-02-29', '2025-12-31' ].every(isDate)).toBe(true);
    expect([ '2025-02-29', '2025-13-01', '20250101', '2025-1-1', '2025-W01-1', 2025, null ].some(isDate)).toBe(false);
  });

  it('tell durations from text that only looks like one.', (): void => {
    expect([ 'P1Y', 'P2W', 'PT1H', 'P1Y2M3DT4H5M6.5S', 'PT0.5S' ].every(isDuration)).toBe(true);
    expect([ 'P1Y1W', 'P1W2D', 'P1WT1H', 'P1YT', 'P1.5D', 'PT1,5S', '+P1D' ].some(isDuration)).toBe(false);
    expect([ '', 'P', 'PT', '1D', 'P-1D', 'P1S', 'PT0S', 'p1d', 'P1D ', 30 ].some(isDuration)).toBe(false);
  });
});
