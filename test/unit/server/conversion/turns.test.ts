import { Readable } from 'node:stream';
import type { Quad } from '@rdfjs/types';
import {
  BasicRepresentation,
  guardStream,
  INTERNAL_QUADS,
  readableToQuads,
  readableToString,
} from '@solid/community-server';
import { DefaultGraphConverter } from '../../../../src/server/conversion/DefaultGraphConverter';
import { GuardedRdfToQuadConverter } from '../../../../src/server/outside/GuardedRdfToQuadConverter';
import { OutsideDocuments } from '../../../../src/server/outside/OutsideDocuments';
import { countRounds } from '../../../support/countRounds';

const identifier = { path: 'https://data.example/alice/large' };
const count = 20_000;
const lines = Array.from({ length: count }, (...[ , at ]): string => `<urn:${at}> <urn:is> "${at}" .\n`);
const document = lines.join('');

describe('Work on a large document yields to others', (): void => {
  it('while parsing.', async(): Promise<void> => {
    const outside = new OutsideDocuments({ baseUrl: 'https://data.example/', allowLoopback: false });
    const converter = new GuardedRdfToQuadConverter(outside);
    const turns = await countRounds(async(): Promise<void> => {
      const representation = new BasicRepresentation(document, identifier, 'text/turtle');
      const { data } = await converter.handle({ identifier, representation, preferences: {}});
      expect((await readableToQuads(data)).size).toBe(count);
    });
    expect(turns).toBeGreaterThan(10);
  });

  it.each([ 'application/ld+json', 'text/turtle' ])('while writing %s.', async(type): Promise<void> => {
    const quads = await parse();
    const converter = new DefaultGraphConverter({ [type]: 1 });
    const turns = await countRounds(async(): Promise<void> => {
      const representation = new BasicRepresentation(guardStream(Readable.from(quads)), identifier, INTERNAL_QUADS);
      const { data } = await converter.handle({ identifier, representation, preferences: { type: { [type]: 1 }}});
      expect((await readableToString(data)).length).toBeGreaterThan(count);
    });
    expect(turns).toBeGreaterThan(10);
  });
});

async function parse(): Promise<Quad[]> {
  const outside = new OutsideDocuments({ baseUrl: 'https://data.example/', allowLoopback: false });
  const representation = new BasicRepresentation(document, identifier, 'text/turtle');
  const { data } = await new GuardedRdfToQuadConverter(outside).handle({ identifier, representation, preferences: {}});
  return (await readableToQuads(data)).getQuads(null, null, null, null);
}
