import { redact } from '../../../src/identity/redact';
import { parseBelgianNumber } from '../../../src/identity/parseBelgianNumber';
import { fc } from '../../support/properties';

/** A valid national number. */
const numbers = fc.tuple(
  fc.date({ min: new Date('1900-01-01'), max: new Date('2030-12-31'), noInvalidDate: true }),
  fc.integer({ min: 1, max: 997 }),
  fc.constantFrom(0, 20, 40),
).map(([ date, order, bis ]): string => {
  const [ year, month, day ] = date.toISOString().slice(0, 10).split('-');
  const givenMonth = String(Number(month) + bis).padStart(2, '0');
  const start = `${year.slice(2)}${givenMonth}${day}${String(order).padStart(3, '0')}`;
  const counted = Number(start) + (Number(year) >= 2000 ? 2_000_000_000 : 0);
  return `${start}${String(97 - counted % 97).padStart(2, '0')}`;
});

const softly = [ '', ' ', '.', '-', '_', '  ', '\t', '+', '\u00A0', '\u2013', ' - ' ];
const anyhow = [ ...softly, '/', ':', ',', ';' ];

function percent(character: string): string {
  return [ ...Buffer.from(character) ].map((byte): string => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

/** Returns a digit in the script whose zero is at a code point. */
function inDigitsFrom(zero: number, character: string): string {
  return /\d/u.test(character) ? String.fromCodePoint(zero + Number(character)) : character;
}

const encodings: ((character: string) => string)[] = [
  (character): string => character,
  percent,
  (character): string => percent(character).toUpperCase(),
  (character): string => percent(character).replaceAll('%', '%25'),
  (character): string => percent(character).replaceAll('%', '%252525'),
  (character): string => `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`,
  (character): string => `&#${character.codePointAt(0)};`,
  (character): string => `&#x${character.codePointAt(0)!.toString(16)};`,
  (character): string => inDigitsFrom(0xFF10, character),
  (character): string => inDigitsFrom(0x0660, character),
  (character): string => encodeURIComponent(inDigitsFrom(0x0966, character)),
  (character): string => inDigitsFrom(0x1D7D8, character),
  (character): string => encodeURIComponent(inDigitsFrom(0x1D7CE, character)),
];

describe('Redaction in the log', (): void => {
  it('removes every national number, however it is written and escaped.', (): void => {
    fc.assert(fc.property(
      numbers,
      fc.array(fc.constantFrom(...softly), { minLength: 10, maxLength: 10 }),
      fc.array(fc.nat(encodings.length - 1), { minLength: 40, maxLength: 40 }),
      fc.constantFrom('', '/', 'number ', '?q=', '"', 'GET /v1/x/', 'x', 'é', '%2F', '3000 '),
      (number, separators, how, before): void => {
        expect(parseBelgianNumber(number)).toBe(number);
        const written = Array.from(number, (digit, index): string => digit + (separators[index] ?? '')).join('');
        const escaped = Array.from(written, (character, index): string =>
          encodings[how[index % how.length]](character)).join('');
        // The text before it may form another number with its beginning.
        expect([ `${before}[number] end`, '[number] end' ]).toContain(redact(`${before}${escaped} end`));
      },
    ), { numRuns: 2000 });
  });

  it('removes one whose parts are separated like paths and times.', (): void => {
    fc.assert(fc.property(
      numbers,
      fc.array(fc.constantFrom(...anyhow), { minLength: 4, maxLength: 4 }),
      (number, separators): void => {
        const parts = [[ 0, 2 ], [ 2, 4 ], [ 4, 6 ], [ 6, 9 ], [ 9, 11 ]].map(([ from, to ]): string =>
          number.slice(from, to));
        const written = parts.map((part, index): string => part + (separators[index] ?? '')).join('');
        expect(redact(`<${written}>`)).toBe('<[number]>');
      },
    ));
    expect(redact('/8/5/0/7/3/0/0/3/3/2/8/')).toBe('/[number]/');
    expect(redact('85.07.30-033.29')).toBe('[number]');
  });

  it.each([
    [ 'Incorrect password for email ann@example.org', 'Incorrect password for email [address]' ],
    [ 'query {"email":"o\'brien+x@mail.example.org"}.', 'query {"email":"[address]"}.' ],
    [ 'password/email/ann%40example.org', 'password/email/[address]' ],
    [ 'to <me@localhost>', 'to <[address]>' ],
    [ '?login_hint=ann%2540example.org&x=1', '?login_hint=[address]&x=1' ],
    [ 'at /x/node_modules/@solid/community-server/dist/a.js:1:2', undefined ],
    [ 'jose@6.1.0 and @inrupt/solid-client', undefined ],
  ])('removes every e-mail address: %s.', (line, expected = line): void => {
    expect(redact(line)).toBe(expected);
  });

  it.each([
    [ 'with record ID 5e2ab0c8-1a5f-4d66-8f4e-6f3ba0f3f1d5', 'with record ID [id]' ],
    [ 'Storing payload data for V1StGXR8_Z5jdHi6BmyT1', 'Storing payload data for [id]' ],
    [ 'Storing payload data for VStGXRZjdHiBmyTabcdEF', 'Storing payload data for [id]' ],
    [ 'GET /.account/account/5e2ab0c8-1a5f-4d66-8f4e-6f3ba0f3f1d5/pod/', 'GET /.account/account/[id]/pod/' ],
    [ 'request: /.oidc/auth/V1StGXR8_Z5jdHi6BmyT1?x=1', 'request: /.oidc/auth/[id]?x=1' ],
    [ 'storing payload of ZYWUKPmuss6BlduAYPMhu', 'storing payload of [id]' ],
    [ 'made by an OwnerPermissionReader', undefined ],
    [ 'http://h/.notifications/x/5e2ab0c8-1a5f-4d66-8f4e-6f3ba0f3f1d5', 'http://h/.notifications/x/[id]' ],
    [ 'index password/id/5e2ab0c8-1a5f-4d66-8f4e-6f3ba0f3f1d5 of', 'index password/id/[id] of' ],
    [ 'query {"label":"a-key_5e2ab0c8-1a5f-4d66-8f4e-6f3ba0f3f1d5"}', 'query {"label":"[id]"}' ],
    [ 'PUT http://h/5e2ab0c8-1a5f-4d66-8f4e-6f3ba0f3f1d5/profile/card#me', undefined ],
    [ 'ClientCredentialsAdapterFactory is no WebSocketChannel2023Type of css-data-sharing-configuration', undefined ],
  ])('removes every id, if requested: %s.', (line, expected = line): void => {
    expect(redact(line, true)).toBe(expected);
    expect(redact(line)).toBe(line);
  });

  it('takes time linear in the length of the text.', (): void => {
    for (const part of [ 'a', 'aA', '@', 'a@', 'ab-', '1-', '/.oidc/', 'a1_' ]) {
      const text = part.repeat(200_000);
      const began = performance.now();
      redact(text, true);
      expect(performance.now() - began).toBeLessThan(20_000);
    }
  });

  it('takes time linear in the length of a path in which each word ends in several ways.', (): void => {
    const begun = performance.now();
    expect(redact(`GET /.account/${'Aaa0-'.repeat(34)}0`, true)).toBe('GET /.account/[id]');
    const words = `/.account/${'aa12345678-aa-12-Aaa1_ABCde'.repeat(1000)}`;
    expect(redact(words, true)).toBe(words);
    // Minutes while the words had several ways to be read.
    expect(performance.now() - begun).toBeLessThan(20_000);
  });

  it('takes time linear in the length of a text with many beginnings of tokens.', (): void => {
    const begun = performance.now();
    const text = 'eyJe'.repeat(131_072);
    expect(redact(text)).toBe(text);
    expect(redact(`${text}.e`)).toBe('[token]');
    expect(performance.now() - begun).toBeLessThan(20_000);
  });

  it('never removes a UUID, or part of one.', (): void => {
    fc.assert(fc.property(fc.uuid(), fc.constantFrom(' ', '/', '"', '=', ':'), (uuid, between): void => {
      const line = `GET${between}${uuid}${between}${uuid.toUpperCase()}`;
      expect(redact(line)).toBe(line);
    }), { numRuns: 1000 });
    const digits = '85073003-3285-4507-8300-332885073003';
    expect(redact(`/${digits}/85073003328`)).toBe(`/${digits}/[number]`);
  });

  it.each([
    '/2026/11/22/345/',
    '2026-11-22T12:58:21.123Z',
    '/12345678901/',
    '192.168.100.230:3000',
    'at file.js:1234:567 (/a/b/2026.11.22/12)',
    'exit code=23505',
    '%zz%',
    '100% of 5',
    '%25',
    '%E2%80',
  ])('removes nothing from %s.', (line): void => {
    expect(redact(line)).toBe(line);
  });

  it('removes secrets in a URL, also within another URL.', (): void => {
    expect(redact('/cb?code=SplxlOBeZQQYbYS6WxSbIA&state=af0if')).toBe('/cb?code=[secret]&state=af0if');
    expect(redact('/r?to=https%3A%2F%2Fapp.example%2Fcb%3Fstate%3Da%26code%3DSplx&x=1'))
      .toBe('/r?to=https%3A%2F%2Fapp.example%2Fcb%3Fstate%3Da%26code%3D[secret]&x=1');
    expect(redact('#access_token=abc&token_type=Bearer')).toBe('#access_token=[secret]&token_type=Bearer');
    // The link to replace a forgotten password.
    expect(redact('GET request for /.account/login/password/reset/?rid=8d9b7d0e-3b57-4d0e-9c55-0a7a1b7c0f11'))
      .toBe('GET request for /.account/login/password/reset/?rid=[secret]');
  });

  it('removes tokens, even with escaped dots.', (): void => {
    for (const dot of [ '.', '%2E', '%252e' ]) {
      expect(redact(`of ${[ 'eyJhbGciOiJFUzI1NiJ9', 'eyJzdWIiOiJhIn0', 'c2ln' ].join(dot)}!`)).toBe('of [token]!');
    }
  });

  it('leaves a text without any unchanged.', (): void => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text): void => {
      expect(redact(text.replaceAll(/\d/gu, ''))).toBe(text.replaceAll(/\d/gu, ''));
    }));
  });
});
