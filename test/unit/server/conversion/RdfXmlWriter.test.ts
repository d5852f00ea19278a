import {
  BasicRepresentation,
  guardedStreamFrom,
  INTERNAL_QUADS,
  RdfToQuadConverter,
  readableToQuads,
  readableToString,
} from '@solid/community-server';
import type { Quad } from '@rdfjs/types';
import * as jsonld from 'jsonld';
import { Parser, Writer } from 'n3';
import { QuadToRdfXmlConverter } from '../../../../src/server/conversion/QuadToRdfXmlConverter';

const identifier = { path: 'http://localhost/pod/document' };
const rdf = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const type = 'application/rdf+xml';

async function write(quads: Quad[]): Promise<string> {
  const representation = new BasicRepresentation(guardedStreamFrom(quads), identifier, INTERNAL_QUADS);
  const preferences = { type: { [type]: 1 }};
  const written = await new QuadToRdfXmlConverter().handleSafe({ identifier, representation, preferences });
  expect(written.metadata.contentType).toBe(type);
  return readableToString(written.data);
}

function read(turtle: string): Quad[] {
  return new Parser({ baseIRI: identifier.path }).parse(`@prefix e: <http://e.example/>. ${turtle}`);
}

/** Reads RDF/XML as the server does. */
async function readXml(text: string): Promise<Quad[]> {
  const representation = new BasicRepresentation(text, identifier, type);
  const preferences = { type: { [INTERNAL_QUADS]: 1 }};
  const { data } = await new RdfToQuadConverter().handleSafe({ identifier, representation, preferences });
  return (await readableToQuads(data)).getQuads(null, null, null, null);
}

/** One text for all sets of triples that differ in the names of blank nodes only. */
async function canonical(quads: Quad[]): Promise<string> {
  const text = new Writer({ format: 'N-Quads' }).quadsToString(quads);
  const canonize = jsonld.canonize as (text: string, options: object) => Promise<string>;
  return canonize(text, { algorithm: 'RDFC-1.0', inputFormat: 'application/n-quads', safe: false });
}

describe('A document in RDF/XML', (): void => {
  it.each([
    [ 'no triples', '' ],
    [ 'types and links', '<a> a e:C; e:p <b>, <?x=1&y=2#z>. <b> e:q <a>.' ],
    [ 'blank nodes', '_:0 e:p [ e:q _:x-1, _:x.2 ]. _:x-1 e:p _:0.' ],
    [ 'lists', '<a> e:p (1 2.5 "c"), ().' ],
    [ 'markup in literals', String.raw`<a> e:p "<a b=\"c\">&amp;]]>", " \t\r\n x ", "".` ],
    [ 'languages and datatypes', `<a> e:p "x"@nl-BE, true, "1"^^e:d, "<b/>"^^<${rdf}XMLLiteral>.` ],
    [ 'characters beyond ASCII', '<ä/𝒳> <http://é.example/ß𝒳> "𝒳\u0085\uFFFD".' ],
    [ 'properties with odd ends', '<a> e:a.b-1 1; <http://e.example/1a> 2; <urn:x> 3; <http://e.example/?q=_> 4.' ],
    [ 'members', `<a> <${rdf}_1> 1.` ],
  ])('has the same triples: %s.', async(_what, turtle): Promise<void> => {
    const quads = read(turtle);
    await expect(canonical(await readXml(await write(quads)))).resolves.toBe(await canonical(quads));
  });

  it('has no named graphs.', async(): Promise<void> => {
    const quads = read('<g> { <a> e:p 1 } <a> e:p 2.');
    await expect(canonical(await readXml(await write(quads)))).resolves.toBe(await canonical(read('<a> e:p 2.')));
  });

  it.each([
    [ 'property', '<a> e:1 2.' ],
    [ 'property', '<a> e: 2.' ],
    [ 'property', `<a> <${rdf}li> 2.` ],
    [ 'property', '<a> <http://www.w3.org/2000/xmlns/p> 2.' ],
    [ 'character', String.raw`<a> e:p "\u0000".` ],
    [ 'character', String.raw`<a> e:p "\uFFFE".` ],
  ])('cannot have every %s: %s.', async(what, turtle): Promise<void> => {
    await expect(write(read(turtle))).rejects.toThrow(expect.objectContaining({
      statusCode: 409,
      message: expect.stringContaining(what),
    }) as Error);
  });
});
