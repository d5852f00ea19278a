import { LDP, RepresentationMetadata, SOLID_META } from '@solid/community-server';
import { removeStatementsQuickly } from '../../../../src/server/versions/removeStatementsQuickly';

const { ResponseMetadata } = SOLID_META.terms;

/** Returns the metadata of a container with a number of members, which are to be removed, and one that stays. */
function withMembers(count: number): RepresentationMetadata {
  const metadata = new RepresentationMetadata({ path: 'https://data.example/alice/' });
  metadata.add(LDP.terms.contains, 'https://data.example/alice/kept');
  for (let at = 0; at < count; at += 1) {
    metadata.add(LDP.terms.contains, `https://data.example/alice/${at}`, ResponseMetadata);
  }
  return metadata;
}

describe('The metadata of a container', (): void => {
  beforeAll(removeStatementsQuickly);

  it.each([ 1, 1000, 60_000 ])('lose %d statements in a short time.', (count): void => {
    const metadata = withMembers(count);
    const removed = metadata.quads(null, null, null, ResponseMetadata);
    expect(removed).toHaveLength(count);
    const begun = performance.now();
    expect(metadata.removeQuads([ ...removed, ...removed ])).toBe(metadata);
    expect(performance.now() - begun).toBeLessThan(20_000);
    expect(metadata.getAll(LDP.terms.contains).map(({ value }): string => value))
      .toEqual([ 'https://data.example/alice/kept' ]);
    metadata.add(LDP.terms.contains, 'https://data.example/alice/new', ResponseMetadata);
    expect(metadata.quads()).toHaveLength(2);
  });
});
