import { parseHttpDate } from '../../../src/platform/parseHttpDate';

const now = new Date('2026-06-01T00:00:00Z');

describe('The date of a header', (): void => {
  it.each([
    [ 'Sun, 06 Nov 1994 08:49:37 GMT', '1994-11-06T08:49:37.000Z' ],
    [ 'Sunday, 06-Nov-94 08:49:37 GMT', '1994-11-06T08:49:37.000Z' ],
    [ 'Sun Nov  6 08:49:37 1994', '1994-11-06T08:49:37.000Z' ],
    [ 'Saturday, 06-Nov-60 08:49:37 GMT', '2060-11-06T08:49:37.000Z' ],
    [ 'Sunday, 31-May-76 08:49:37 GMT', '2076-05-31T08:49:37.000Z' ],
    [ 'Wednesday, 02-Jun-76 08:49:37 GMT', '1976-06-02T08:49:37.000Z' ],
    [ 'Monday, 06-Nov-00 08:49:37 GMT', '2000-11-06T08:49:37.000Z' ],
  ])('has three formats, with years of two digits at most 50 years ahead: %s.', (text, time): void => {
    expect(parseHttpDate(text, now)?.toISOString()).toBe(time);
  });

  it.each([
    undefined,
    '',
    'yesterday',
    '1994-11-06T08:49:37Z',
    'Sun, 06 Nov 1994 08:61:37 GMT',
    'Sun, 30 Feb 2025 08:49:37 GMT',
    'Sunday, 30-Feb-25 08:49:37 GMT',
    'Sun Feb 30 08:49:37 2025',
    'Fri, 02 Jan 2026 24:00:00 GMT',
  ])('is ignored in others, and on days that do not exist: %s.', (text): void => {
    expect(parseHttpDate(text, now)).toBeUndefined();
  });
});
