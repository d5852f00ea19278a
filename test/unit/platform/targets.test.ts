import { OriginalUrlExtractor, SingleRootIdentifierStrategy } from '@solid/community-server';
import type { HttpRequest } from '@solid/community-server';
import {
  canonicalPath,
  checkNames,
  defaultPathBounds,
  findUnfitName,
  nameBytes,
  PathRefused,
  setPathBounds,
} from '../../../src/platform/targets';
import { fc } from '../../support/properties';

const base = 'http://pods.example/';
const extractor = new OriginalUrlExtractor({ identifierStrategy: new SingleRootIdentifierStrategy(base) });

/** The path that the Solid server reads in a request line. */
async function serverReads(url: string): Promise<string> {
  const request = { url, headers: { host: 'pods.example' }} as unknown as HttpRequest;
  return (await extractor.handle({ request })).path.slice(base.length - 1);
}

function refusal(path: string): string {
  try {
    return canonicalPath(path);
  } catch (error: unknown) {
    return (error as PathRefused).reason;
  }
}

describe('The path of a request', (): void => {
  it.each([
    [ '/', '/' ],
    [ '/alice/notes', '/alice/notes' ],
    [ '/alice/notes/', '/alice/notes/' ],
    [ '/%2eaccount/login/', '/.account/login/' ],
    [ '/.%61ccount/login/', '/.account/login/' ],
    [ '//.account/login/', '/.account/login/' ],
    [ '/x/../.account/login/', '/.account/login/' ],
    [ '/./.account/./login/.', '/.account/login/' ],
    [ '/../../v1/none', '/v1/none' ],
    [ '/a/b/..', '/a/' ],
    [ '/..', '/' ],
    [ '///', '/' ],
    [ '/alice/...', '/alice/...' ],
    [ '/alice/a%20b', '/alice/a%20b' ],
    [ '/alice/a+b', '/alice/a%2Bb' ],
    [ '/alice/a:b;c,d=e&f@g$', '/alice/a%3Ab%3Bc%2Cd%3De%26f%40g%24' ],
    [ '/alice/(a)*\'!~', '/alice/(a)*\'!~' ],
    [ '/alice/%c3%a9', '/alice/%C3%A9' ],
    [ '/alice/%7e', '/alice/~' ],
    [ '/alice/"<>[]^`{|}', '/alice/%22%3C%3E%5B%5D%5E%60%7B%7C%7D' ],
    [ '/alice/%252e%252e', '/alice/%252e%252e' ],
    [ '/alice/a%252fb', '/alice/a%252Fb' ],
    [ '/alice/a%3Fb', '/alice/a%3Fb' ],
    [ '/alice/a%23b', '/alice/a%23b' ],
  ])('%s is %s, as the server reads both.', async(path, expected): Promise<void> => {
    expect(canonicalPath(path)).toBe(expected);
    await expect(serverReads(path)).resolves.toBe(expected);
    await expect(serverReads(expected)).resolves.toBe(expected);
  });

  it.each([
    '',
    'alice',
    '*',
    '/a\\b',
    '/.account\\..\\a',
    '/a%2fb',
    '/a%2Fb',
    '/a%5cb',
    '/a%00',
    '/a%0d%0ab',
    '/a%7f',
    '/a%C2%85',
    '/%2e%2e/b',
    '/%2E',
    '/.%2e/b',
    '/a/%2e%2e',
    '/a#b',
    '/é',
    '/a b',
    '/%',
    '/%zz',
    '/%ff',
    '/%c0%ae%c0%ae/',
    '/%ed%a0%80',
  ])('%j is refused.', (path): void => {
    expect(refusal(path)).toBe('malformed');
  });

  it('has a limited number of segments and bytes.', (): void => {
    expect(refusal('/a'.repeat(64))).toHaveLength(128);
    expect(refusal(`${'/a'.repeat(64)}/`)).toHaveLength(129);
    expect(refusal('/a'.repeat(65))).toBe('tooLong');
    expect(refusal(`${'/a'.repeat(65)}/`)).toBe('tooLong');
    expect(refusal(`/${'a'.repeat(2047)}`)).toHaveLength(2048);
    expect(refusal(`/${'a'.repeat(2048)}`)).toBe('tooLong');
    expect(refusal(`/${':'.repeat(1000)}`)).toBe('tooLong');
    expect(refusal('/../a'.repeat(500))).toBe('tooLong');
  });

  it('has the limits that the operator sets.', (): void => {
    setPathBounds({ maxSegments: 2, maxBytes: 10 });
    try {
      expect([ '/a/b', '/a/b/c', '/aaaaaaaaaa' ].map(refusal)).toEqual([ '/a/b', 'tooLong', 'tooLong' ]);
    } finally {
      setPathBounds(defaultPathBounds);
    }
  });

  it('is read by the server in the same form, however it is written.', async(): Promise<void> => {
    const pieces = [ '/', '.', '..', '%2e', '%25', '2f', '%', 'a', ':', '%c3', '%a9', '%3F', '%20', '~', '\'', '*' ];
    const path = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 2 })), { maxLength: 12 });
    await fc.assert(fc.asyncProperty(path, async(parts): Promise<void> => {
      const written = `/${parts.join('')}`;
      const canonical = refusal(written);
      const isRefused = !canonical.startsWith('/');
      expect(isRefused ? canonical : canonicalPath(canonical)).toBe(canonical);
      await expect(isRefused ? Promise.resolve(canonical) : serverReads(canonical)).resolves.toBe(canonical);
    }));
  });
});

describe('A name', (): void => {
  it.each([
    [ 'abc', 3 ],
    [ '%C3%A9', 2 ],
    [ '%20', 1 ],
    [ '%3A', 3 ],
    [ '*', 3 ],
    [ 'a%252Fb', 7 ],
    [ '%25', 1 ],
  ])('%s takes %i bytes on a disk.', (name, bytes): void => {
    expect(nameBytes(name)).toBe(bytes);
  });

  it.each([ '/a$b', '/$a', '/$a/b.c', '/a%3Ab', '/100%25', '/a%2525b' ])('in %s can be a file\'s.', (path): void => {
    expect(findUnfitName(path)).toBeUndefined();
  });

  it.each([
    [ '/a$.b', '/a$.b', 'malformed' ],
    [ '/a/b$/c', '/a/b$/', 'malformed' ],
    [ '/a$.b/c$', '/a$.b/c$', 'malformed' ],
    [ '/a%253Ab/', '/a%253Ab/', 'malformed' ],
    [ `/${'a'.repeat(226)}/b`, `/${'a'.repeat(226)}/`, 'tooLong' ],
  ])('in %s cannot: %s is %s.', (path, unfit, reason): void => {
    expect(findUnfitName(path)).toMatchObject({ path: unfit, reason });
  });

  it('has 255 bytes at most.', (): void => {
    expect((): unknown => checkNames(`/${'a'.repeat(255)}/b`)).not.toThrow();
    expect((): unknown => checkNames(`/${'%C3%A9'.repeat(127)}`)).not.toThrow();
    expect((): unknown => checkNames(`/b/${'a'.repeat(256)}/`)).toThrow(PathRefused);
    expect((): unknown => checkNames(`/${'%C3%A9'.repeat(128)}`)).toThrow(PathRefused);
    expect((): unknown => checkNames(`/${'*'.repeat(86)}`)).toThrow(PathRefused);
  });
});
