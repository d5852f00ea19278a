import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonLdDocument } from 'jsonld';
import { expand, toRDF } from 'jsonld';
import { Parser } from 'n3';
import type { Artefacts } from '../../../src/contracts/Artefacts';
import type { DataTypeCatalogue } from '../../../src/data-types/DataType';
import { loadArtefacts, loadDataTypes } from '../../support/mistakes';

const base = 'https://pods.example/';
const purposes = join(__dirname, '../../../demo/data/purposes');
const fixtures = join(__dirname, '../../fixtures');

describe('Artefacts', (): void => {
  let dataTypes: DataTypeCatalogue;
  let artefacts: Artefacts;
  let folder: string;

  beforeAll(async(): Promise<void> => {
    folder = await mkdtemp(join(tmpdir(), 'purposes-'));
    dataTypes = await loadDataTypes({ base });
    artefacts = await loadArtefacts({ base, dataTypes, purposes });
  });

  afterAll(async(): Promise<void> => rm(folder, { recursive: true }));

  it.each([
    [ '/v1/ns/core', `${base}v1/ns/core#Contract` ],
    [ '/v1/data-types/base', `${base}v1/data-types/base` ],
    [ '/v1/data-types/diploma/2024-05-22', `${base}v1/data-types/diploma/2024-05-22` ],
    [ '/v1/data-types/student-certificate/2024-06-01', `${base}v1/data-types/student-certificate/2024-06-01` ],
    [ '/v1/purposes/employment', `${base}v1/purposes/employment` ],
  ])('has the same statements in Turtle and JSON-LD at %s.', async(path, subject): Promise<void> => {
    const [ turtle, jsonLd ] = artefacts.find(path)!;
    expect(turtle.contentType).toBe('text/turtle');
    expect(jsonLd.contentType).toBe('application/ld+json');
    // No base: the document is self-contained.
    const quads = new Parser().parse(turtle.body.toString());
    const document = JSON.parse(jsonLd.body.toString()) as JsonLdDocument;
    const others = await toRDF(document) as { subject: { value: string }}[];
    expect(quads.map(({ subject: { value }}): string => value)).toContain(subject);
    expect(others.map((quad): string => quad.subject.value)).toContain(subject);
    expect(others).toHaveLength(new Set(quads.map((quad): string => JSON.stringify(quad))).size);
  });

  it('lists the operator\'s data types in their scheme.', async(): Promise<void> => {
    const own = await loadDataTypes({ base, folder: join(fixtures, 'data-types') });
    const [ turtle ] = (await loadArtefacts({ base, dataTypes: own, purposes })).find('/v1/data-types/base')!;
    const listed = new Parser().parse(turtle.body.toString())
      .filter(({ predicate }): boolean => predicate.value.endsWith('#hasTopConcept'))
      .map(({ object: { value }}): string => value);
    expect(listed.sort()).toEqual(own.list().map(({ iri }): string => iri).sort());
    expect(listed.length).toBeGreaterThan(2);
  });

  it('gives each representation an entity tag of its own.', (): void => {
    const [ turtle, jsonLd ] = artefacts.find('/v1/ns/core')!;
    expect(turtle.etag).toMatch(/^"[\w-]{22}"$/u);
    expect(jsonLd.etag).not.toBe(turtle.etag);
  });

  it('serves a context that maps a contract to its vocabulary.', async(): Promise<void> => {
    const [ context ] = artefacts.find('/v1/contexts/contract/2024-10-08')!;
    expect(context.contentType).toBe('application/ld+json');
    const { '@context': terms } = JSON.parse(context.body.toString()) as { '@context': object };
    const contract = {
      '@context': terms,
      '@type': `${base}v1/ns/core#Contract`,
      accessMode: 'WRITE',
      accessDuration: 'P1D',
      forDataUser: `${base}consumer/profile/card#me`,
      startDate: '2025-01-01',
    };
    const [ expanded ] = await expand(contract as JsonLdDocument);
    expect(expanded).toEqual({
      '@type': [ `${base}v1/ns/core#Contract` ],
      [`${base}v1/ns/core#accessMode`]: [{ '@id': `${base}v1/ns/core#WRITE` }],
      [`${base}v1/ns/core#accessDuration`]:
        [{ '@type': 'http://www.w3.org/2001/XMLSchema#duration', '@value': 'P1D' }],
      [`${base}v1/ns/core#forDataUser`]: [{ '@id': `${base}consumer/profile/card#me` }],
      [`${base}v1/ns/core#startDate`]: [{ '@type': 'http://www.w3.org/2001/XMLSchema#date', '@value': '2025-01-01' }],
    });
  });

  it('finds nothing at other paths.', (): void => {
    for (const path of [ '/v1/ns', '/v1/ns/core/', '/v1/purposes/', '/v1/purposes/../ns/core', '__proto__' ]) {
      expect(artefacts.find(path)).toBeUndefined();
    }
  });

  it('has no purposes where there is no folder.', async(): Promise<void> => {
    const without = await loadArtefacts({ base, dataTypes, purposes: join(folder, 'absent') });
    expect(without.find('/v1/purposes/employment')).toBeUndefined();
    expect(without.find('/v1/ns/core')).toBeDefined();
  });

  it.each([
    [ 'that is not Turtle', 'nonsense', /not valid Turtle/u ],
    [
      'about something else',
      '</v1/purposes/y> <http://www.w3.org/2004/02/skos/core#prefLabel> "y"@nl .',
      /purposes\/x.*'nl'/u,
    ],
    [ 'that lacks a language', `</v1/purposes/x> <http://www.w3.org/2004/02/skos/core#prefLabel>
      "x"@nl, "x"@fr, "x"@en .`, /prefLabel.*'de'/u ],
  ])('refuses a purpose document %s, naming the file.', async(_name, text, reason): Promise<void> => {
    await writeFile(join(folder, 'x.ttl'), text);
    const loading = loadArtefacts({ base, dataTypes, purposes: folder });
    await expect(loading).rejects.toThrow(reason);
    await expect(loading).rejects.toThrow(join(folder, 'x.ttl'));
  });
});
