/* eslint-disable @typescript-eslint/ban-ts-comment -- the errors are what is tested */
import type { CitizenStore } from '../../../src/identity/CitizenStore';
import type { WebId } from '../../../src/platform/webId';
import { canonicalWebId, findPlainWebId, isWebId, parseWebId } from '../../../src/platform/webId';
import { isParty } from '../../../src/grants/AccessGrant';
import { fc } from '../../support/properties';

const webId = 'https://bank.example/people/ann%20b/card#me';

describe('The canonical form of a WebID', (): void => {
  it.each([
    webId,
    ` ${webId}\n`,
    'HTTPS://BANK.example:443/people/ann%20b/card#me',
    'https://bank.example/people/./x/../ann%20b/card#me',
    'https://bank.example/%70eople/%61nn%20%62/card#me',
  ])('is the same for %j.', (text): void => {
    expect(canonicalWebId(text)).toBe(webId);
  });

  it.each([
    [ 'https://bank.example/%c3%a9#org', 'https://bank.example/%C3%A9#org' ],
    [ 'https://bank.example/é#org', 'https://bank.example/%C3%A9#org' ],
    [ 'http://LOCALHOST:3000/a', 'http://localhost:3000/a' ],
    [ 'https://bank.example', 'https://bank.example/' ],
    // Two documents, on some servers.
    [ 'https://bank.example/a//b', 'https://bank.example/a//b' ],
    [ 'https://bank.example/Card?Q=A#Me', 'https://bank.example/Card?Q=A#Me' ],
  ])('of %j is %j.', (text, expected): void => {
    expect(canonicalWebId(text)).toBe(expected);
  });

  it.each([
    '',
    'loans',
    'ftp://bank.example/card',
    'https://ann:secret@bank.example/card',
    'https://bank.example/a b',
    'https://bank.example/a%2Fb',
    'https://bank.example/%zz',
    'https://bank.example/a\\b',
    'https://bank.example/\uD800',
  ])('does not exist for %j.', (text): void => {
    expect(canonicalWebId(text)).toBeUndefined();
  });

  it('is its own canonical form.', (): void => {
    fc.assert(fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true }), (url): void => {
      const once = canonicalWebId(url);
      fc.pre(once !== undefined);
      expect(canonicalWebId(once)).toBe(once);
    }));
  });
});

describe('A WebID', (): void => {
  it.each([ webId, 'HTTPS://bank.example/%61', 'http://localhost:3000/a' ])('keeps its spelling: %s.', (text): void => {
    expect(parseWebId(text)).toBe(text);
    expect(findPlainWebId(text)).toEqual({ webId: text, url: new URL(text) });
  });

  it.each([
    '',
    'loans',
    'ftp://bank.example/card',
    'https://',
    'mailto:ann@bank.example',
    'https://bank.example/\uD800',
    'https://bank.example/card#\uDC00me',
  ])('is not %j.', (text): void => {
    expect(isWebId(text)).toBe(false);
    expect((): unknown => parseWebId(text)).toThrow('A WebID is an http(s) URL.');
    expect(findPlainWebId(text)).toBeUndefined();
  });

  it('in a token must not have credentials, or characters that parsing drops.', (): void => {
    expect(findPlainWebId('https://ann:secret@bank.example/card')).toBeUndefined();
    expect(findPlainWebId('https://bank.example/ca\trd')).toBeUndefined();
    expect(findPlainWebId('https://bank.example/a\\b')).toBeUndefined();
  });
});

// The type checker decides this: a text that compiles where an error is expected fails `npm run check:types`.
describe('In place of a WebID', (): void => {
  const citizens: Pick<CitizenStore, 'findByWebId'> = { findByWebId: async(): Promise<undefined> => undefined };
  const parties = { subject: parseWebId(webId), recipient: parseWebId('https://loans.example/#us') };

  it('an unparsed text does not compile.', async(): Promise<void> => {
    const text: string = webId;
    const parsed: WebId = parseWebId(text);
    await expect(citizens.findByWebId(parsed)).resolves.toBeUndefined();
    // @ts-expect-error -- any text
    await expect(citizens.findByWebId(text)).resolves.toBeUndefined();
    expect(isParty(parties, parsed)).toBe(true);
    // @ts-expect-error -- any text
    expect(isParty(parties, text)).toBe(true);
    // @ts-expect-error -- a text with the form of one
    expect(isParty({ ...parties, recipient: 'https://loans.example/#us' }, parsed)).toBe(true);
  });
});
