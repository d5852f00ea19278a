import { guardedStreamFrom, RepresentationMetadata, SparqlUpdateBodyParser } from '@solid/community-server';
import type { HttpRequest, Patch, RepresentationPatcherInput } from '@solid/community-server';
import type { NamedNode, Quad } from 'n3';
import { DataFactory, Store } from 'n3';
import { BoundedSparqlUpdatePatcher } from '../../../../src/server/patches/BoundedSparqlUpdatePatcher';
import type { PatchedRdf } from '../../../../src/server/patches/patching';

const patcher = new BoundedSparqlUpdatePatcher();
const parser = new SparqlUpdateBodyParser();
const identifier = { path: 'https://data.example/alice/document' };

function node(name: string | number): NamedNode {
  return DataFactory.namedNode(`urn:${name}`);
}

/** Returns triples of one subject. */
function triples(count: number): Quad[] {
  return Array.from({ length: count }, (_, index): Quad => DataFactory.quad(node('s'), node('p'), node(index)));
}

async function update(data: Quad[], text: string): Promise<Store> {
  const metadata = new RepresentationMetadata(identifier, 'application/sparql-update');
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- parsers do nothing but read it
  const patch = await parser.handle({ request: guardedStreamFrom(text) as HttpRequest, metadata }) as Patch;
  const representation = { dataset: new Store(data) } as unknown as PatchedRdf;
  const input: RepresentationPatcherInput<PatchedRdf> = { identifier, patch, representation };
  return (await patcher.handle(input)).dataset;
}

async function updated(count: number, text: string): Promise<string[]> {
  const quads = (await update(triples(count), text)).getQuads(null, null, null, null);
  return quads.map(({ subject, predicate, object }): string => [ subject, predicate, object ]
    .map(({ termType, value }): string => termType === 'BlankNode' ? 'blank' : value.replace('urn:', '')).join(' '))
    .sort();
}

describe('A SPARQL update', (): void => {
  it('applies its operations in order, each to the result of those before.', async(): Promise<void> => {
    await expect(updated(2, `
      DELETE DATA { <urn:s> <urn:p> <urn:0> } ;
      INSERT { ?a <urn:was> ?c } WHERE { ?a ?b ?c } ;
      INSERT DATA { <urn:s> <urn:p> <urn:0> , <urn:2> } ;
      DELETE { ?a <urn:p> ?c } INSERT { ?c <urn:of> ?a , [] } WHERE { ?a <urn:p> ?c . ?a <urn:was> ?c } ;
      DELETE DATA { <urn:s> <urn:p> <urn:none> } ;
      DELETE WHERE { ?a <urn:was> ?c }`)).resolves.toEqual([ '1 of blank', '1 of s', 's p 0', 's p 2' ]);
    await expect(updated(1, 'DELETE { ?a ?b ?c } INSERT { ?a ?b ?c } WHERE { ?a ?b ?c }')).resolves
      .toEqual([ 's p 0' ]);
    await expect(updated(3, 'DELETE WHERE { ?a ?b ?c }')).resolves.toEqual([]);
  });

  it('leaves what is in other graphs, such as statements that are not stored.', async(): Promise<void> => {
    const noted = DataFactory.quad(node('s'), node('p'), node(0), node('noted'));
    const left = await update([ ...triples(1), noted ], 'DELETE WHERE { ?a ?b ?c }');
    expect(left.getQuads(null, null, null, null)).toEqual([ noted ]);
  });

  it('removes many triples of one subject in a short time.', async(): Promise<void> => {
    const data = triples(30_000);
    const marks = Array.from({ length: 20_000 }, (_, index): Quad =>
      DataFactory.quad(node(index), node('is'), node('old')));
    const text = 'DELETE { <urn:s> <urn:p> ?c } WHERE { ?c <urn:is> <urn:old> . <urn:s> <urn:p> ?c }';
    const begun = performance.now();
    const left = await update([ ...data, ...marks ], text);
    expect(left.size).toBe(30_000);
    expect(performance.now() - begun).toBeLessThan(20_000);
  });

  it('has one limit of work and results for all of its operations.', async(): Promise<void> => {
    const begun = performance.now();
    const costly = 'DELETE WHERE { ?a ?b ?c . ?d ?e ?e }';
    await expect(update(triples(300), costly)).resolves.toHaveProperty('size', 300);
    await expect(update(triples(300), Array.from({ length: 300 }).fill(costly).join(';'))).rejects.toThrow('too long');
    const doubling = Array.from({ length: 100 }, (_, index): string =>
      `INSERT { ?a <urn:${index}> ?b } WHERE { <urn:s> <urn:p> ?a . <urn:s> <urn:p> ?b }`);
    await expect(update(triples(140), doubling[0])).resolves.toHaveProperty('size', 140 + 140 * 140);
    await expect(update(triples(140), doubling.join(';'))).rejects.toThrow('too many ways');
    expect(performance.now() - begun).toBeLessThan(20_000);
  });
});
