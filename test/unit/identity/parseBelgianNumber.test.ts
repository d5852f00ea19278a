import { parseBelgianNumber } from '../../../src/identity/parseBelgianNumber';
import { fc } from '../../support/properties';

/** A fictitious number for nine digits, with the check digits of a century. */
function numberOf(nine: string, since2000 = false): string {
  const check = 97 - Number(`${since2000 ? '2' : ''}${nine}`) % 97;
  return nine + String(check).padStart(2, '0');
}

function pad(value: number, length = 2): string {
  return String(value).padStart(length, '0');
}

const births = fc.record({
  year: fc.integer({ min: 1900, max: 2099 }),
  month: fc.integer({ min: 1, max: 12 }),
  day: fc.integer({ min: 1, max: 28 }),
  serial: fc.integer({ min: 1, max: 998 }),
  bis: fc.constantFrom(0, 20, 40),
}).map(({ year, month, day, serial, bis }): string =>
  numberOf(`${pad(year % 100)}${pad(month + bis)}${pad(day)}${pad(serial, 3)}`, year >= 2000));

describe('A national number', (): void => {
  it('is read in both centuries, also as a BIS number.', (): void => {
    fc.assert(fc.property(births, (number): void => {
      expect(parseBelgianNumber(number)).toBe(number);
    }));
  });

  it('has one normal form, however it is written.', (): void => {
    const separator = fc.constantFrom('', ' ', '.', '-', '/', '. ');
    fc.assert(fc.property(births, fc.array(separator, { minLength: 12, maxLength: 12 }), (number, separators): void => {
      const written = separators.map((text, at): string => text + (number[at] ?? '')).join('');
      expect(parseBelgianNumber(written)).toBe(number);
    }));
    expect(parseBelgianNumber('85.07.30-991.40')).toBe('85073099140');
  });

  it('is refused with one digit changed.', (): void => {
    const change = fc.tuple(births, fc.nat(10), fc.integer({ min: 1, max: 9 }));
    fc.assert(fc.property(change, ([ number, at, by ]): void => {
      const changed = number.slice(0, at) + String((Number(number[at]) + by) % 10) + number.slice(at + 1);
      const isAnother = [ false, true ].some((late): boolean => numberOf(changed.slice(0, 9), late) === changed);
      fc.pre(!isAnother);
      expect(parseBelgianNumber(changed)).toBeUndefined();
    }));
  });

  const dates = [ '000000', '400000', '850000', '852000', '854000', '004000', '850715' ];

  it.each(dates)('can have %s as its date.', (date): void => {
    expect(parseBelgianNumber(numberOf(`${date}123`))).toBe(numberOf(`${date}123`));
  });

  it.each([ '851301', '851932', '856001', '859901', '850732', '850431', '850230', '853301', '855301' ])(
    'cannot have %s as its date.',
    (date): void => {
      expect(parseBelgianNumber(numberOf(`${date}123`))).toBeUndefined();
      expect(parseBelgianNumber(numberOf(`${date}123`, true))).toBeUndefined();
    },
  );

  it('respects leap years: 2000 was one and 1900 was not.', (): void => {
    expect(parseBelgianNumber(numberOf('000229123', true))).toBeDefined();
    expect(parseBelgianNumber(numberOf('000229123'))).toBeUndefined();
  });

  it('can have 97 as check digits.', (): void => {
    const nine = fc.sample(fc.integer({ min: 1, max: 998 }), { numRuns: 500, seed: 1 })
      .map((serial): string => `850715${pad(serial, 3)}`)
      .find((digits): boolean => Number(digits) % 97 === 0);
    expect(parseBelgianNumber(`${nine}97`)).toBe(`${nine}97`);
    expect(parseBelgianNumber(`${nine}00`)).toBeUndefined();
  });

  it.each([
    '',
    '8507309914',
    '850730991400',
    '85073099140x',
    '+85073099140',
    '85_07_30_991_40',
    '85073099140\n',
    '８５０７３０９９１４０',
    '8.5073099e10',
  ])('is not %j.', (text): void => {
    expect(parseBelgianNumber(text)).toBeUndefined();
  });
});
