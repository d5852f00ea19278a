import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Quad as RdfQuad } from '@rdfjs/types';
import * as jsonld from 'jsonld';
import { DataFactory, Parser } from 'n3';
import ShaclValidator from 'rdf-validate-shacl';
import { createDocumentLoader } from '../../src/credentials/documentLoader';
import { IndexedDataset } from '../../src/data-types/IndexedDataset';

const factory = { ...DataFactory, dataset: (quads?: RdfQuad[]): IndexedDataset => new IndexedDataset(quads) };
const shapes = readFileSync(join(__dirname, '../fixtures/shapes/consent-27560.ttl'), 'utf8');

/**
 * Validates a receipt of consent against the shapes of ISO/IEC TS 27560 in DPV.
 *
 * @param receipt - A credential.
 *
 * @returns Severity, path and constraint of each result.
 */
export async function validateReceipt(receipt: object): Promise<string[]> {
  const options = { format: 'application/n-quads', documentLoader: createDocumentLoader(), safe: true };
  const statements = new Parser({ format: 'N-Quads' }).parse(await jsonld.toRDF(receipt, options as object) as string);
  const graph = statements.map(({ object, predicate, subject }): RdfQuad =>
    DataFactory.quad(subject, predicate, object) as RdfQuad);
  const shapesGraph = new IndexedDataset(new Parser({ baseIRI: 'https://shapes.example/' }).parse(shapes));
  const { results } = new ShaclValidator(shapesGraph, { factory }).validate(new IndexedDataset(graph));
  return results.map(({ path, severity, sourceConstraintComponent: component }): string =>
    [ severity, path, component ].map((term): string => nameOf(term?.value)).join(' '));
}

function nameOf(iri = ''): string {
  return iri.split(/[#/]/u).at(-1)!;
}
