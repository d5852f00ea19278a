import { randomUUID } from 'node:crypto';
import { defaultCheckMs, nextCheck } from '../../../src/personal-data/checkTimes';
import { originInvalidSince } from '../../../src/personal-data/invalidity';

const now = new Date('2026-03-01T12:00:00Z');

describe('The next check of a share', (): void => {
  it('is within an interval, and again an interval later.', (): void => {
    for (let times = 0; times < 200; times += 1) {
      const id = randomUUID();
      const next = nextCheck({ id }, now, defaultCheckMs);
      expect(next.getTime()).toBeGreaterThan(now.getTime());
      expect(next.getTime()).toBeLessThanOrEqual(now.getTime() + defaultCheckMs);
      expect(nextCheck({ id }, next, defaultCheckMs).getTime()).toBe(next.getTime() + defaultCheckMs);
    }
  });

  it('spreads simultaneous shares over the interval.', (): void => {
    const hours = Array.from({ length: 24 }, (): number => 0);
    for (let times = 0; times < 4800; times += 1) {
      const next = nextCheck({ id: randomUUID() }, now, defaultCheckMs);
      hours[Math.floor((next.getTime() - now.getTime() - 1) / 3_600_000)] += 1;
    }
    // 200 are expected in each: seven standard deviations below and above, as there are many tries.
    expect(Math.min(...hours)).toBeGreaterThan(103);
    expect(Math.max(...hours)).toBeLessThan(297);
  });

  it('is when the credential counts as expired, if that comes first.', (): void => {
    const id = 'ffffffff-0000-4000-8000-000000000000';
    const expiresAt = new Date(now.getTime() + 1000);
    const next = nextCheck({ id, expiresAt }, now, defaultCheckMs);
    expect(originInvalidSince({ expiresAt }, next)).toEqual(expiresAt);
    expect(originInvalidSince({ expiresAt }, new Date(next.getTime() - 1))).toBeUndefined();
    expect(nextCheck({ id, expiresAt }, expiresAt, defaultCheckMs)).toEqual(next);
    expect(nextCheck({ id, expiresAt }, next, defaultCheckMs)).toEqual(nextCheck({ id }, next, defaultCheckMs));
  });
});
