import { BasicRepresentation, guardedStreamFrom, HttpError, readableToQuads } from '@solid/community-server';
import { GuardedRdfToQuadConverter } from '../../../src/server/outside/GuardedRdfToQuadConverter';
import { OutsideDocuments } from '../../../src/server/outside/OutsideDocuments';
import { fc, seed } from '../../support/properties';

const baseUrl = 'https://data.example/';
const identifier = { path: `${baseUrl}alice/document` };
const converter = new GuardedRdfToQuadConverter(new OutsideDocuments({ baseUrl, allowLoopback: true }));
const numRuns = Number(process.env.FUZZ_RUNS ?? 500);

const turtle = [
  '@prefix p: <urn:>.',
  '<urn:a> p:b 1',
  '{| p:b 2 |}',
  '"""\n"""',
  '\'x\'@en',
  ...'<> <urn:a> a p:b _:c "text" "1"^^p:d 1 -2.5 3e4 true . ; , [ ] ( ) { } << >> <<( )>> {| |} ^^ @en ~ #'.split(' '),
  ...'PREFIX BASE @base <urn:base> @version GRAPH \\u0041 \u0000'.split(' '),
];
const n3 = [ ...turtle, ...'=> <= = ! ^ ?x @forAll @forSome is of has @a'.split(' ') ];
const xml = [
  '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:p="urn:">',
  '</rdf:RDF>',
  '<rdf:Description rdf:about="a">',
  '<rdf:Description rdf:ID="b" p:c="d">',
  '</rdf:Description>',
  '<p:a rdf:resource="b"/>',
  '<p:a rdf:parseType="Collection">',
  '<p:a rdf:parseType="Resource">',
  '<p:a rdf:parseType="Literal">',
  '<p:a rdf:nodeID="1" xml:lang="en">',
  '<?xml version="1.0"?>',
  '<!DOCTYPE r [<!ENTITY e "x">]>',
  ...'<p:a> </p:a> <rdf:li> <q:a/> &e; &amp; <!-- --> <![CDATA[ ]]> < > " text'.split(' '),
];
const keywords = ('@context @id @type @value @language @list @set @graph @reverse @nest @included @vocab @base ' +
  '@container @index @json @none @version @direction @import urn:a b').split(' ');

/** JSON whose members and texts have meanings in JSON-LD. */
const json: fc.Arbitrary<unknown> = fc.letrec((tie): Record<'value', fc.Arbitrary<unknown>> => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>(null, true, 1, -2.5, '', 'urn:x', '_:y', 'en', 1.1),
    fc.constantFrom(...keywords),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...keywords), tie('value'), { maxKeys: 4 }),
  ),
})).value;

function soup(words: readonly string[], between: string): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...words), { maxLength: 24 }).map((chosen): string => chosen.join(between));
}

describe('Any document', (): void => {
  it.each<[string, fc.Arbitrary<string>]>([
    [ 'text/turtle', soup(turtle, ' ') ],
    [ 'application/trig', soup(turtle, ' ') ],
    [ 'application/n-quads', soup(turtle, ' ') ],
    [ 'text/n3', soup(n3, ' ') ],
    [ 'application/rdf+xml', soup(xml, '') ],
    [ 'application/ld+json', json.map((value): string => JSON.stringify(value)) ],
  ])('of type %s is read or refused, and ends nothing else.', async(type, documents): Promise<void> => {
    async function read(text: string, size: number): Promise<void> {
      const bytes = Buffer.from(text);
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at): Buffer =>
        bytes.subarray(at * size, (at + 1) * size));
      const representation = new BasicRepresentation(guardedStreamFrom(pieces), identifier, type);
      const { data } = await converter.handle({ identifier, representation, preferences: {}});
      await readableToQuads(data);
    }
    const sizes = fc.integer({ min: 1, max: 80 });
    await fc.assert(fc.asyncProperty(documents, sizes, async(text, size): Promise<boolean> => {
      const error: unknown = await read(text, size).catch((failure: unknown): unknown => failure);
      return error === undefined || error instanceof HttpError;
    }), { seed, numRuns });
  });
});
