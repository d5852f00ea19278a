import { join } from 'node:path';
import type { Inspection } from '../../../src/data-types/DataType';
import { message } from '../../../src/data-types/messages';
import type { ShaclDataTypes } from '../../../src/data-types/ShaclDataTypes';
import { shippedArtefacts } from '../../../src/data-types/ShaclDataTypes';
import { findMissingLanguage, readTurtle, translations } from '../../../src/data-types/turtle';
import { belgianNumbers } from '../../../src/identity/belgianNumbers';
import { FilesSource } from '../../../src/sources/files/FilesSource';
import { ownIris, RDFS, SKOS } from '../../../src/vocabulary';
import { inspectRecord } from '../../support/inspectRecord';
import { loadDataTypes } from '../../support/mistakes';

const base = 'https://pods.example/';
const { core } = ownIris(base);
const demo = join(__dirname, '../../../demo/data');
const citizens = {
  emma: '85073099140',
  lucas: '99041299276',
  noor: '01021599475',
  jan: '72091999312',
  mila: '88430533119',
};

describe('The shipped data types', (): void => {
  let types: ShaclDataTypes;

  beforeAll(async(): Promise<void> => {
    types = await loadDataTypes({ base });
  });

  async function inspectAll(citizen: string): Promise<Map<string, Inspection>> {
    const inspections = new Map<string, Inspection>();
    for (const { iri, slug } of types.list()) {
      const folder = join(demo, 'sources', slug);
      const source = await FilesSource.open({ dataType: iri, folder, numbers: belgianNumbers, logger: console });
      for (const { id, credentialSubject } of await source.list(citizen)) {
        inspections.set(id, await inspectRecord(types, iri, credentialSubject!, citizen));
      }
    }
    return inspections;
  }

  it('use only terms that the core vocabulary defines in four languages.', async(): Promise<void> => {
    const { store: vocabulary } = await readTurtle(join(shippedArtefacts, 'ns/core.ttl'), base);
    const used = new Set<string>();
    for (const { slug } of types.list()) {
      const { store } = await readTurtle(join(shippedArtefacts, 'data-types', `${slug}.ttl`), base);
      for (const { subject, predicate, object } of store) {
        for (const { value } of [ subject, predicate, object ]) {
          used.add(value);
        }
      }
    }
    const ours = [ ...used ].filter((iri): boolean => iri.startsWith(core));
    const undefinedTerms = ours.filter((iri): boolean => [ RDFS.label, SKOS.prefLabel ]
      .every((label): boolean => findMissingLanguage(translations(vocabulary, iri, label)) !== undefined));
    expect(ours.length).toBeGreaterThan(30);
    expect(undefinedTerms).toEqual([]);
  });

  it.each([
    [ 'emma', 2 ],
    [ 'lucas', 2 ],
    [ 'noor', 1 ],
    [ 'mila', 2 ],
  ] as const)('find no mistake in the example records of %s.', async(name, count): Promise<void> => {
    const inspections = [ ...(await inspectAll(citizens[name])).values() ];
    expect(inspections).toHaveLength(count);
    expect(inspections.flatMap(({ errors }): unknown[] => errors)).toEqual([]);
    for (const { summary } of inspections) {
      expect(summary!.title).toHaveLength(4);
      expect(summary!.subtitle).not.toHaveLength(0);
    }
  });

  it('find the mistake in the example record without a date of award.', async(): Promise<void> => {
    const inspections = await inspectAll(citizens.jan);
    expect(inspections.get('diploma-1995-000902')!.errors).toEqual([]);
    const { summary, errors } = inspections.get('diploma-1999-000033')!;
    expect(summary!.details.awardDate).toMatchObject({ format: 'error', value: message('missing') });
    expect(errors[0]).toEqual({ value: `Datum van uitreiking: ${message('missing')[0].value}`, language: 'nl' });
  });

  it('show a diploma in every format.', async(): Promise<void> => {
    const { details } = (await inspectAll(citizens.emma)).get('diploma-2008-001288')!.summary!;
    const formats = Object.values(details).map(({ format }): string => format);
    expect(new Set(formats)).toEqual(new Set([ 'string', 'group', 'date', 'timestamp', 'boolean', 'number' ]));
    expect(details.institution).toMatchObject({ items: { 1: { items: { address: { format: 'group' }}}}});
  });

  it('refuse a record with more than they describe, at any depth.', async(): Promise<void> => {
    const type = `${base}v1/data-types/diploma/2024-05-22`;
    const folder = join(demo, 'sources/diploma/2024-05-22');
    const source = await FilesSource.open({ dataType: type, folder, numbers: belgianNumbers, logger: console });
    const { credentialSubject } = (await source.list(citizens.mila))[0];
    const secret = { ...credentialSubject, religion: 'none of your business' };
    const nested = { ...credentialSubject, graduate: { ...credentialSubject!.graduate as object, religion: 'none' }};
    for (const record of [ secret, nested ]) {
      const { errors } = await inspectRecord(types, type, record, citizens.mila);
      expect(errors).toEqual(message('notDescribed'));
    }
  });
});
