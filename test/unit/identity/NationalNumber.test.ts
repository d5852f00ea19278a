import { format, inspect } from 'node:util';
import { belgianNumbers } from '../../../src/identity/belgianNumbers';
import { NationalNumber } from '../../../src/identity/NationalNumber';
import { Concealed } from '../../../src/platform/Concealed';
import { fictitiousNumber } from '../../support/fictitiousNumber';

const digits = fictitiousNumber(1);
const number = NationalNumber.stored(digits);
const claim = new Concealed(digits, 'citizen_national_id');
const shown = '[national number]';

describe('A national number', (): void => {
  it.each<[string, (value: unknown) => string]>([
    [ 'String', String ],
    [ 'a template', (value): string => `${value as string} `.trim() ],
    [ 'toLocaleString', (value): string => (value as string).toLocaleString() ],
    [ 'a list', (value): string => [ value ].join(',') ],
    [ 'the name of a member', (value): string => Object.keys({ [value as string]: true })[0] ],
    [ 'an error', (value): string => new Error(value as string).message ],
    [ 'a query', (value): string => new URLSearchParams({ value: value as string }).get('value')! ],
    [ '%s', (value): string => format('%s', value) ],
    [ '%o', (value): string => format('%o', value) ],
    [ '%O', (value): string => format('%O', value) ],
    [ 'inspect', (value): string => inspect(value) ],
    [ 'JSON', (value): string => JSON.stringify(value).slice(1, -1) ],
  ])('prints as a placeholder by %s.', (_way, print): void => {
    expect(print(number)).toBe(shown);
    expect(print(claim)).toBe('[citizen_national_id]');
  });

  it.each<[string, (value: unknown) => unknown]>([
    [ 'JSON with a replacer', (value): string => JSON.stringify({ value }, [ 'value' ]) ],
    [ '%j', (value): string => format('%j', { value }) ],
    [ '%d', (value): string => format('%d %i %f', value, value, value) ],
    [ 'inspect that shows all', (value): string => inspect({ value }, { showHidden: true, getters: true }) ],
    [ 'inspect without our say', (value): string => inspect({ value }, { customInspect: false, showHidden: true }) ],
    [ 'its members', (value): unknown => [{ ...value as object }, Object.getOwnPropertyNames(value) ] ],
    [ 'a clone', (value): unknown => structuredClone(value) ],
    [ 'an error that has it as its cause', (value): string => inspect(new Error('failed', { cause: value })) ],
  ])('is not shown by %s.', (_way, print): void => {
    for (const concealed of [ number, claim ]) {
      const text = inspect(print(concealed));
      expect(text).not.toBe('');
      expect(text).not.toContain(digits);
    }
  });

  it('is the same number, however it is written.', (): void => {
    const dotted = digits.replace(/^(..)(..)(..)(...)(..)$/u, '$1.$2.$3-$4.$5');
    const read = NationalNumber.read(dotted, belgianNumbers);
    expect(read?.reveal()).toBe(digits);
    expect(read?.equals(number)).toBe(true);
    expect(read?.equals(NationalNumber.stored(fictitiousNumber(2)))).toBe(false);
  });

  it.each([ '', 'eleven digits', '85073003329' ])('is not read from %j.', (text): void => {
    expect(NationalNumber.read(text, belgianNumbers)).toBeUndefined();
  });
});
