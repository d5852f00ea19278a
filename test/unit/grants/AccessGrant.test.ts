import type { AccessMode } from '../../../src/grants/AccessGrant';
import {
  accessModes,
  covers,
  coversMode,
  coversResource,
  grantIdOf,
  grantUri,
  isInForce,
  isProtected,
  isWriteProtected,
} from '../../../src/grants/AccessGrant';
import { AccessGrantInvalid } from '../../../src/problems';
import { fc } from '../../support/properties';
import { resourceUri } from '../../support/uris';

const origin = 'https://pods.example';
const segments = fc.array(fc.constantFrom('a', 'ab', 'b', 'a.b', '%20'), { maxLength: 4 });
const uris = fc.tuple(segments, fc.boolean())
  .map(([ path, isContainer ]): string => `${origin}/${path.join('/')}${isContainer && path.length > 0 ? '/' : ''}`);

/** The same rule, slower: compares the paths segment by segment. */
function slowlyCovers(granted: string, inherit: boolean, resource: string): boolean {
  if (granted === resource) {
    return true;
  }
  if (!inherit || !granted.endsWith('/')) {
    return false;
  }
  const outer = granted.slice(origin.length).split('/').filter(Boolean);
  const inner = resource.slice(origin.length).split('/').filter(Boolean);
  return inner.length > outer.length && outer.every((segment, index): boolean => segment === inner[index]);
}

describe('A grant on a resource', (): void => {
  it('covers the same as a simpler, slower rule.', (): void => {
    fc.assert(fc.property(uris, fc.boolean(), uris, (granted, inherit, resource): void => {
      expect(coversResource(granted, inherit, resource)).toBe(slowlyCovers(granted, inherit, resource));
    }), { numRuns: 2000 });
  });

  it.each([
    [ '/a/', true, '/a/b', true ],
    [ '/a/', true, '/a/b/c', true ],
    [ '/', true, '/a/b', true ],
    [ '/a/', false, '/a/b', false ],
    [ '/a/', false, '/a/', true ],
    [ '/a', true, '/a/b', false ],
    [ '/a', true, '/ab', false ],
    [ '/a/', true, '/ab/c', false ],
    [ '/a/', true, '/a', false ],
    [ '/a/b', true, '/a/', false ],
  ])('%s with inherit %s and %s: %s.', (granted, inherit, resource, expected): void => {
    expect(coversResource(origin + granted, inherit, origin + resource)).toBe(expected);
  });

  it('needs one of its modes and one of its resources.', (): void => {
    const grant = { modes: [ 'Append' as const ], resources: [ `${origin}/a`, `${origin}/b/` ], inherit: true };
    expect(covers(grant, resourceUri(`${origin}/b/c`), 'Append')).toBe(true);
    expect(covers(grant, resourceUri(`${origin}/b/c`), 'Write')).toBe(false);
    expect(covers(grant, resourceUri(`${origin}/c`), 'Append')).toBe(false);
    expect(covers({ ...grant, modes: []}, resourceUri(`${origin}/a`), 'Append')).toBe(false);
  });
});

describe('A mode', (): void => {
  it('includes itself, and Write includes Append.', (): void => {
    const pairs = accessModes.flatMap((given): AccessMode[][] =>
      accessModes.map((needed): AccessMode[] => [ given, needed ]));
    expect(pairs.filter(([ given, needed ]): boolean => coversMode(given, needed))).toEqual([
      [ 'Read', 'Read' ],
      [ 'Write', 'Write' ],
      [ 'Write', 'Append' ],
      [ 'Append', 'Append' ],
    ]);
  });
});

describe('A grant', (): void => {
  const now = new Date('2026-03-01T12:00:00Z');
  const before = new Date(now.getTime() - 1);
  const after = new Date(now.getTime() + 1);
  const good = { kind: 'grant' as const, issuedAt: now, expiresAt: after };

  it.each([
    [ 'from its first moment', good, true ],
    [ 'without end', { ...good, expiresAt: undefined }, true ],
    [ 'before it begins', { ...good, issuedAt: after }, false ],
    [ 'at its end', { ...good, expiresAt: now }, false ],
    [ 'after its end', { ...good, expiresAt: before }, false ],
    [ 'when revoked', { ...good, revokedAt: now }, false ],
    [ 'when revoked by a clock that runs ahead', { ...good, revokedAt: after }, false ],
    [ 'when invalid', { ...good, invalidAt: before }, false ],
    [ 'as a request', { ...good, kind: 'request' as const }, false ],
    [ 'as a denial', { ...good, kind: 'denial' as const }, false ],
  ])('is in force or not: %s.', (moment, grant, expected): void => {
    expect(moment).not.toBe('');
    expect(isInForce(grant, now)).toBe(expected);
  });
});

describe('A resource', (): void => {
  const webId = `${origin}/alice/me#i`;

  it('is protected from writing if it contains a WebID document with a query.', (): void => {
    expect(isWriteProtected(resourceUri(`${origin}/alice/`), `${origin}/alice/me?of=/a/b#i`)).toBe(true);
    expect(isWriteProtected(resourceUri(`${origin}/alice/`), `${origin}/other/../alice/me#i`)).toBe(true);
    expect(isWriteProtected(resourceUri(`${origin}/bob/`), `${origin}/alice/me?of=/a/b#i`)).toBe(false);
  });

  it('is not protected because of the name of its host.', (): void => {
    expect(isProtected(resourceUri('https://pods.meta/alice/notes'))).toBe(false);
  });

  it.each([
    '/.acl',
    '/alice/.acl',
    '/alice/notes.acl',
    '/alice/.acr',
    '/alice/notes.acr',
    '/alice/.meta',
    '/alice/notes.meta',
    '/alice/notes.ACL',
    '/alice/.meta.acl',
    '/alice/.acl/',
  ])('is protected from all access: %s.', (path): void => {
    expect(isProtected(resourceUri(origin + path))).toBe(true);
    expect(isWriteProtected(resourceUri(origin + path), webId)).toBe(true);
  });

  it.each([
    '/alice/profile/card',
    '/alice/profile/card/',
    '/a/b/profile/card',
    '/alice/profile/',
    '/alice/me',
    '/alice/',
  ])(
    'is protected from writing: %s.',
    (path): void => {
      expect(isProtected(resourceUri(origin + path))).toBe(false);
      expect(isWriteProtected(resourceUri(origin + path), webId)).toBe(true);
    },
  );

  it.each([ '/bob/', '/alice/profile/card2', '/alice/acl', '/alice/meta', '/alice/a.acl.txt', '/bob/me' ])(
    'is not protected: %s.',
    (path): void => {
      expect(isProtected(resourceUri(origin + path))).toBe(false);
      expect(isWriteProtected(resourceUri(origin + path), webId)).toBe(false);
    },
  );
});

describe('The URI of an access grant', (): void => {
  const issuer = 'https://pods.example/.access/';
  const id = '0b7c5a4e-6f0a-4a3e-9a55-0c6f3d7d1c11';
  const uri = grantUri(issuer, id);

  it('contains its id.', (): void => {
    expect(grantIdOf(uri, issuer)).toBe(id);
  });

  it.each([
    uri.replace('https://pods', 'HTTPS://PODS'),
    uri.replace('.example', '.example:443'),
    uri.replace('.access/vc', '%2eaccess/%76c'),
  ])('contains it in each spelling of the URL: %s.', (text): void => {
    expect(grantIdOf(text, issuer)).toBe(id);
  });

  it.each([ '', 'nonsense', `/vc/${id}`, `${uri}, ${uri}`, ` ${uri}`, `https://pods.example/${'a'.repeat(2048)}` ])(
    'is not %j.',
    (text): void => {
      expect((): unknown => grantIdOf(text, issuer)).toThrow(AccessGrantInvalid);
    },
  );

  it.each([
    `${uri},${uri}`,
    `${uri}/`,
    `${uri}#it`,
    `${uri}#`,
    `${uri}?`,
    uri.toUpperCase(),
    uri.replace(id, id.toUpperCase()),
    uri.replace('https:', 'http:'),
    uri.replace('.example', '.example:444'),
    uri.replace('pods', 'somebody@pods'),
    uri.replace('/vc/', '%2Fvc/'),
    'https://other.example/1',
    'urn:uuid:1',
  ])('is that of no grant of this service when it is %s.', (text): void => {
    expect(grantIdOf(text, issuer)).toBeUndefined();
  });
});
