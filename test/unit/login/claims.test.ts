import { belgianNumbers } from '../../../src/identity/belgianNumbers';
import { readNationalNumber as read, readAcr, readAuthenticationTime, readName } from '../../../src/login/claims';
import type { NumberClaim } from '../../../src/login/LoginProvider';
import { ClaimMissing, IdentityInvalid, LoginTooWeak } from '../../../src/problems';
import { fictitiousNumber } from '../../support/fictitiousNumber';

const number = fictitiousNumber(1);

function readNationalNumber(claims: Record<string, unknown>, setting: NumberClaim): string {
  return read(claims, setting, belgianNumbers).reveal();
}

describe('The national number from a provider', (): void => {
  it.each([
    [ 'under a name', { nrn: number }, 'nrn' ],
    [ 'under a name with slashes', { 'urn:a/b': number }, 'urn:a/b' ],
    [ 'below a JSON Pointer', { person: { ids: [ 'x', number ]}}, '/person/ids/1' ],
    [ 'below a pointer with escapes', { 'a/b': { 'c~d': number }}, '/a~1b/c~0d' ],
  ])('is found %s.', (_place, claims, claim): void => {
    expect(readNationalNumber(claims, { from: 'id_token', claim })).toBe(number);
  });

  it('is the part after a prefix, in its normal form.', (): void => {
    const written = `BE/${number.slice(0, 6)}-${number.slice(6)}`;
    expect(readNationalNumber({ nrn: written }, { from: 'id_token', claim: 'nrn', prefix: 'BE/' })).toBe(number);
  });

  it.each([
    [ 'is not there', {}],
    [ 'is null', { nrn: null }],
    [ 'is empty', { nrn: '' }],
    [ 'is inherited', Object.create({ nrn: number }) as object ],
  ])('is missing when it %s.', (_what, claims): void => {
    expect((): unknown => readNationalNumber({ ...claims }, { from: 'id_token', claim: 'nrn' })).toThrow(ClaimMissing);
  });

  it.each([
    [ 'a number', Number(number) ],
    [ 'a list', [ number ]],
    [ 'another text', 'Emma' ],
    [ 'wrong in its check digits', `${number.slice(0, 9)}${number.endsWith('00') ? '01' : '00'}` ],
    [ 'long', number.padStart(300, '0') ],
  ])('is malformed when it is %s.', (_what, nrn): void => {
    expect((): unknown => readNationalNumber({ nrn }, { from: 'id_token', claim: 'nrn' })).toThrow(IdentityInvalid);
  });

  it('must match the provider\'s pattern, in its normal form.', (): void => {
    const setting = { from: 'id_token', claim: 'nrn', pattern: `${number.slice(0, 2)}\\d{9}|0+` } as const;
    const written = `${number.slice(0, 6)}-${number.slice(6)}`;
    expect(readNationalNumber({ nrn: written }, setting)).toBe(number);
    for (const pattern of [ '1', number.slice(0, 10), number.slice(1), 'x|0', '' ]) {
      expect((): unknown => readNationalNumber({ nrn: number }, { ...setting, pattern })).toThrow(IdentityInvalid);
    }
  });

  it('is malformed without its prefix.', (): void => {
    const setting = { from: 'id_token', claim: 'nrn', prefix: 'BE/' } as const;
    expect((): unknown => readNationalNumber({ nrn: number }, setting)).toThrow(IdentityInvalid);
  });
});

describe('The moment of authentication', (): void => {
  it('is in milliseconds.', (): void => {
    expect(readAuthenticationTime({ auth_time: 1_790_000_000 })).toBe(1_790_000_000_000);
  });

  it.each([ undefined, null, '1790000000', -1, 0, Number.NaN, Number.POSITIVE_INFINITY, 1_790_000_000_000, [ 1 ]])(
    'is undefined if it is %p.',
    (time): void => {
      expect(readAuthenticationTime({ auth_time: time })).toBeUndefined();
    },
  );
});

describe('The level of assurance', (): void => {
  it('can be any if none is configured.', (): void => {
    expect(readAcr({ acr: 'low' }, {})).toBe('low');
    expect(readAcr({}, {})).toBeUndefined();
  });

  it('must be an accepted one.', (): void => {
    expect(readAcr({ acr: 'high' }, { acceptedAcr: [ 'high' ]})).toBe('high');
    for (const acr of [ 'low', undefined, [ 'high' ], 'HIGH', '' ]) {
      expect((): unknown => readAcr({ acr }, { acceptedAcr: [ 'high' ]})).toThrow(LoginTooWeak);
    }
  });
});

describe('The name from a provider', (): void => {
  it.each([
    [ 'under a name', { name: 'Noor Verwilgen' }, 'name' ],
    [ 'below a JSON Pointer', { person: { names: [ 'Noor Verwilgen' ]}}, '/person/names/0' ],
    [ 'with marks and control characters', { name: ' Noor\n\u202E\u0000 Verwilgen ' }, 'name' ],
  ])('is found %s.', (_place, claims, nameClaim): void => {
    expect(readName(claims, { nameClaim })).toBe('Noor Verwilgen');
  });

  it('ends at 200 characters.', (): void => {
    expect(readName({ name: 'x'.repeat(300) }, { nameClaim: 'name' })).toBe('x'.repeat(200));
  });

  it.each([ undefined, null, '', ' ', 7, { given: 'Noor' }, [ 'Noor' ]])('is ignored if it is %j.', (name): void => {
    expect(readName({ name }, { nameClaim: 'name' })).toBeUndefined();
  });

  it('is not read without the setting.', (): void => {
    expect(readName({ name: 'Noor Verwilgen' }, {})).toBeUndefined();
  });
});
