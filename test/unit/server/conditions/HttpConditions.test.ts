import { RepresentationMetadata, updateModifiedDate } from '@solid/community-server';
import type { HttpRequest } from '@solid/community-server';
import { HttpConditionsParser } from '../../../../src/server/conditions/HttpConditionsParser';
import { ListingETagHandler } from '../../../../src/server/versions/ListingETagHandler';

const parser = new HttpConditionsParser(new ListingETagHandler());
const metadata = new RepresentationMetadata({ path: 'https://pods.example/a' }, 'text/turtle');
updateModifiedDate(metadata, new Date('2020-01-01T00:00:00.500Z'));
const tag = '"1577836800500-text/turtle"';
const otherType = '"1577836800500-application/ld+json"';
const now = 'Wed, 01 Jan 2020 00:00:00 GMT';
const before = 'Tue, 31 Dec 2019 23:59:59 GMT';

async function holds(
  headers: Record<string, string>,
  { method = 'PUT', strict = false } = {},
): Promise<boolean | undefined> {
  const conditions = await parser.handle({ method, headers } as unknown as HttpRequest);
  return conditions?.matchesMetadata(metadata, strict);
}

describe('Conditions of a request', (): void => {
  it.each<[string, boolean]>([
    [ tag, true ],
    [ `"none", ${tag}`, true ],
    [ otherType, true ],
    [ '*', true ],
    [ `W/${tag}`, false ],
    [ '"none"', false ],
    [ 'nonsense', false ],
  ])('in If-Match: %s.', async(value, expected): Promise<void> => {
    await expect(holds({ 'if-match': value })).resolves.toBe(expected);
    // A missing resource has no current version.
    const conditions = await parser.handle({ method: 'PUT', headers: { 'if-match': value }} as unknown as HttpRequest);
    expect(conditions!.matchesMetadata(undefined)).toBe(false);
  });

  it.each<[string, boolean]>([
    [ tag, false ],
    [ `W/"none", W/${tag}`, false ],
    [ otherType, false ],
    [ '*', false ],
    [ '"none"', true ],
  ])('in If-None-Match: %s.', async(value, expected): Promise<void> => {
    await expect(holds({ 'if-none-match': value })).resolves.toBe(expected);
    const conditions =
      await parser.handle({ method: 'PUT', headers: { 'if-none-match': value }} as unknown as HttpRequest);
    expect(conditions!.matchesMetadata(undefined)).toBe(true);
  });

  it('consider the media type of reads.', async(): Promise<void> => {
    const reading = { method: 'GET', strict: true };
    await expect(holds({ 'if-none-match': otherType }, reading)).resolves.toBe(true);
    await expect(holds({ 'if-match': otherType }, reading)).resolves.toBe(false);
  });

  it.each<[Record<string, string>, boolean]>([
    [{ 'if-unmodified-since': now }, true ],
    [{ 'if-unmodified-since': before }, false ],
    [{ 'if-unmodified-since': before, 'if-match': tag }, true ],
    [{ 'if-modified-since': now }, false ],
    [{ 'if-modified-since': before }, true ],
    [{ 'if-modified-since': now, 'if-none-match': '"none"' }, true ],
  ])('compare times in seconds, after tags: %j.', async(headers, expected): Promise<void> => {
    await expect(holds(headers, { method: 'GET', strict: true })).resolves.toBe(expected);
  });

  it.each([
    'Wednesday, 01-Jan-20 00:00:00 GMT',
    'Wed Jan  1 00:00:00 2020',
  ])('take times in obsolete formats: %s.', async(time): Promise<void> => {
    await expect(holds({ 'if-modified-since': time }, { method: 'GET' })).resolves.toBe(false);
    await expect(holds({ 'if-unmodified-since': time })).resolves.toBe(true);
  });

  it.each([
    '2020-01-02T00:00:00Z',
    '2020-01-02',
    '1577923200',
    'Thu, 2 Jan 2020 00:00:00 GMT',
    'Thu, 02 Jan 2020 00:00:00 +0000',
    'Thu, 02 Jan 2020 00:61:00 GMT',
    'Thu, 02 Jan 2020 00:00:00 GMT, Thu, 02 Jan 2020 00:00:00 GMT',
  ])('ignore other times: %s.', async(time): Promise<void> => {
    await expect(holds({ 'if-modified-since': time }, { method: 'GET' })).resolves.not.toBe(false);
    await expect(holds({ 'if-unmodified-since': time.replace('2020', '1990') })).resolves.not.toBe(false);
  });
});
