import { OriginNotHere, ResourceUriInvalid } from '../../../src/problems';
import { containersOf, parseResourceUri, podPlace, shareUri } from '../../../src/pods/resourceUri';
import { fc } from '../../support/properties';

const base = 'https://pods.example/';

function parse(text: string): string {
  return parseResourceUri(text, base);
}

describe('A resource URI', (): void => {
  it.each([
    [ 'https://pods.example/alice/notes', 'https://pods.example/alice/notes' ],
    [ 'HTTPS://PODS.example:443/alice/notes', 'https://pods.example/alice/notes' ],
    [ 'https://pods.example/alice/', 'https://pods.example/alice/' ],
    [ 'https://pods.example', 'https://pods.example/' ],
    [ 'https://pods.example/%61lice/%2eacl', 'https://pods.example/alice/.acl' ],
    [ 'https://pods.example/alice/a%20b', 'https://pods.example/alice/a%20b' ],
    [ 'https://pods.example/alice/é', 'https://pods.example/alice/%C3%A9' ],
    [ 'https://pods.example/alice/%c3%a9', 'https://pods.example/alice/%C3%A9' ],
    [ 'https://pods.example/alice/...', 'https://pods.example/alice/...' ],
    [ 'https://pods.example/alice/%252e%252e', 'https://pods.example/alice/%252e%252e' ],
    [ 'https://pods.example/v10/notes', 'https://pods.example/v10/notes' ],
  ])('%s has the canonical form %s.', (text, canonical): void => {
    expect(parse(text)).toBe(canonical);
    expect(parse(canonical)).toBe(canonical);
  });

  it.each([
    '',
    '/alice/notes',
    'alice',
    '//pods.example/alice',
    'ftp://pods.example/alice',
    'file:///etc/passwd',
    'urn:uuid:1',
    'https:/pods.example/alice',
    'https:pods.example/alice',
    'https:///alice',
    'https://user@pods.example/alice',
    'https://user:word@pods.example/alice',
    'https://@pods.example/alice',
    'https://pods.example/alice#me',
    'https://pods.example/alice#',
    'https://pods.example/alice?',
    'https://pods.example/a?b',
    'https://pods.example/alice/../bob',
    'https://pods.example/alice/./notes',
    'https://pods.example/alice/..',
    'https://pods.example/alice/%2e%2e/bob',
    'https://pods.example/alice/%2E./bob',
    'https://pods.example/alice/%2e',
    'https://pods.example/alice%2fnotes',
    'https://pods.example/alice%5Cnotes',
    'https://pods.example\\alice',
    'https://pods.example/alice\\notes',
    'https://pods.example//alice',
    'https://pods.example/alice//notes',
    'https://pods.example/alice/notes//',
    'https://pods.example/%',
    'https://pods.example/%zz',
    'https://pods.example/%ff',
    'https://pods.example/alice/%00',
    'https://pods.example/alice/%0d%0a',
    'https://pods.example/a b',
    'https://pods.example/alice\n',
    ' https://pods.example/alice',
    'https://pods.example/al\tice',
    'https://pods.example:x/a',
    'https://pods.example/.internal/setup',
    'https://pods.example/.access/vc/1',
    'https://pods.example/.uma/token',
    'https://pods.example/v1/webids',
    'https://pods.example/V1/webids',
    'https://pods.example/v1',
    'https://pods.example/%76%31/webids',
    'https://pods.example/.internal/',
    `https://pods.example/${'a'.repeat(2048)}`,
  ])('is not %j.', (text): void => {
    expect((): unknown => parse(text)).toThrow(ResourceUriInvalid);
  });

  it.each([
    'https://other.example/alice',
    'http://pods.example/alice',
    'https://pods.example:8443/alice',
    'http://127.0.0.1/alice',
    'http://[::1]/alice',
    'http://169.254.169.254/latest',
    'https://pods.example.evil.example/alice',
    'https://pods.example./alice',
  ])('is not this server\'s if it is %s.', (text): void => {
    expect((): unknown => parse(text)).toThrow(OriginNotHere);
  });

  it('has one canonical form, which parses to itself.', (): void => {
    fc.assert(fc.property(fc.webPath(), fc.string(), (path, text): void => {
      for (const uri of [ `https://pods.example${path}`, `https://pods.example/${text}` ]) {
        let canonical: string;
        try {
          canonical = parse(uri);
        } catch {
          continue;
        }
        expect(parse(canonical)).toBe(canonical);
        expect(new URL(canonical).href).toBe(canonical);
      }
    }));
  });
});

describe('The containers of a resource', (): void => {
  it.each([
    [ 'https://pods.example/', []],
    [ 'https://pods.example/a', [ 'https://pods.example/' ]],
    [ 'https://pods.example/a/', [ 'https://pods.example/' ]],
    [ 'https://pods.example/a/b/c', [ 'https://pods.example/a/b/', 'https://pods.example/a/', 'https://pods.example/' ]],
  ])('for %s are %j.', (uri, containers): void => {
    expect(containersOf(uri)).toEqual(containers);
  });
});

describe('Shared data', (): void => {
  it('is in a container named after the first two digits of its id.', (): void => {
    expect(shareUri(podPlace({ id: 'p', podUrl: 'https://pods.example/p/' }), '3fa85f64-5717-4562-b3fc-2c963f66afa6'))
      .toBe('https://pods.example/p/credentials/3f/3fa85f64-5717-4562-b3fc-2c963f66afa6');
  });
});
