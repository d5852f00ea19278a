import { fc } from '../../support/properties';
import { canonicalWebId } from '../../../src/platform/canonicalWebId';

const webId = 'https://bank.example/people/ann%20b/card#me';

describe('The one spelling of a WebID', (): void => {
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
    // Two documents, on a server that says so.
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
  ])('there is none of %j.', (text): void => {
    expect(canonicalWebId(text)).toBeUndefined();
  });

  it('stays as it is.', (): void => {
    fc.assert(fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true }), (url): void => {
      const once = canonicalWebId(url);
      fc.pre(once !== undefined);
      expect(canonicalWebId(once)).toBe(once);
    }));
  });
});
