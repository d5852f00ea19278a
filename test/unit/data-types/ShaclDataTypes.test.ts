import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Inspection, SummaryField } from '../../../src/data-types/DataType';
import { languages } from '../../../src/data-types/languages';
import { message } from '../../../src/data-types/messages';
import type { MessageName } from '../../../src/data-types/messages';
import type { ShaclDataTypes } from '../../../src/data-types/ShaclDataTypes';
import { inspectRecord } from '../../support/inspectRecord';
import { loadDataTypes } from '../../support/mistakes';

const base = 'https://pods.example/';
const card = 'https://library.example/types/library-card/2025-02-01';
const fixtures = join(__dirname, '../../fixtures/data-types');
const citizen = '90051212384';

function english(name: MessageName): string {
  return message(name).find(({ language }): boolean => language === 'en')!.value;
}

function typed(value: string, type: string): object {
  return { '@value': value, '@type': `http://www.w3.org/2001/XMLSchema#${type}` };
}

describe('ShaclDataTypes', (): void => {
  let folder: string;
  let types: ShaclDataTypes;
  let text: string;

  beforeAll(async(): Promise<void> => {
    folder = await mkdtemp(join(tmpdir(), 'data-types-'));
    await copyFile(join(fixtures, 'library-card.ttl'), join(folder, 'library-card.ttl'));
    text = await readFile(join(fixtures, 'library-card.json'), 'utf8');
    types = await loadDataTypes({ base, folder });
  });

  afterAll(async(): Promise<void> => rm(folder, { recursive: true }));

  async function inspect(changes: Record<string, unknown> = {}, number = citizen): Promise<Inspection> {
    const record = JSON.parse(text) as Record<string, unknown>;
    return inspectRecord(types, card, { ...record, ...changes }, number);
  }

  async function field(name: string, changes: Record<string, unknown>): Promise<SummaryField | undefined> {
    return (await inspect(changes)).summary?.details[name];
  }

  it('knows the shipped data types and those of the folder.', (): void => {
    expect(types.list().map(({ slug }): string => slug).sort())
      .toEqual([ 'diploma/2024-05-22', 'library-card/2025-02-01', 'student-certificate/2024-06-01' ]);
    expect(types.find(`${base}v1/data-types/diploma/2024-05-22`)?.targetClass).toBe(`${base}v1/ns/core#Diploma`);
    expect(types.find('https://elsewhere.example/')).toBeUndefined();
  });

  it('throws for a data type it does not know.', async(): Promise<void> => {
    const iri = 'https://elsewhere.example/';
    await expect(inspectRecord(types, iri, JSON.parse(text), citizen)).rejects.toThrow(iri);
  });

  it('finds an error in a record that calls a class its own subclass.', async(): Promise<void> => {
    const itself = { '@id': 'https://library.example/ns#LibraryCard' };
    const part = { ...itself, 'http://www.w3.org/2000/01/rdf-schema#subClassOf': itself };
    await expect(inspect({ branch: { branchName: 'Central', part }}))
      .resolves.toEqual({ summary: null, errors: message('tooLarge') });
    expect((await inspect()).errors).toEqual([]);
  });

  describe('summarising a good record', (): void => {
    let inspection: Inspection;
    let details: Record<string, SummaryField>;

    beforeAll(async(): Promise<void> => {
      inspection = await inspect();
      details = inspection.summary!.details;
    });

    it('finds no errors.', (): void => {
      expect(inspection.errors).toEqual([]);
    });

    it('returns the fields in the order of the shape, without those not meant for details.', (): void => {
      expect(Object.keys(details)).toEqual([ 'kind', 'cardHolder', 'issued', 'weight', 'interest', 'branch' ]);
    });

    it('takes title and subtitle from the properties marked for them.', (): void => {
      expect(inspection.summary!.title).toContainEqual({ value: 'Adulte', language: 'fr' });
      expect(inspection.summary!.subtitle).toEqual([{ value: '2024-02-29', language: null }]);
    });

    it('gives a coded concept its translated names.', (): void => {
      expect(details.kind).toMatchObject({ format: 'string' });
      expect((details.kind as { items: unknown[][] }).items[0]).toHaveLength(4);
    });

    it('gives a date, a readable number and a text.', (): void => {
      expect(details.issued).toMatchObject({ format: 'date', value: '2024-02-29' });
      expect(details.weight).toMatchObject({ format: 'number', value: '4.5' });
      expect(details.cardHolder).toMatchObject({ items: [[{ value: 'An Example', language: null }]]});
    });

    it('combines translations into one item.', (): void => {
      const { items } = details.interest as { items: unknown[][] };
      expect(items).toHaveLength(1);
      expect(items[0]).toHaveLength(2);
    });

    it('gives a nested shape as a group.', (): void => {
      expect(details.branch).toMatchObject({
        format: 'group',
        items: { branchName: { format: 'string', items: [[{ value: 'Central' }]]}},
      });
    });

    it('labels every field in four languages.', (): void => {
      for (const { label } of Object.values(details)) {
        expect(new Set(label.map(({ language }): string | null => language))).toEqual(new Set(languages));
      }
    });
  });

  it('gives every value of a property that has several.', async(): Promise<void> => {
    await expect(field('cardHolder', { holder: [ 'An', 'Ben' ]})).resolves.toMatchObject({
      items: [[{ value: 'An' }], [{ value: 'Ben' }]],
    });
    await expect(field('kind', { kind: [ 'Adult', 'Youth' ]})).resolves.toMatchObject({
      items: [
        expect.arrayContaining([{ value: 'Adult', language: 'en' }]),
        expect.arrayContaining([{ value: 'Youth', language: 'en' }]),
      ],
    });
    await expect(field('interest', { interest: { nl: [ 'kunst', 'muziek' ]}})).resolves.toMatchObject({
      items: [[{ value: 'kunst', language: 'nl' }], [{ value: 'muziek', language: 'nl' }]],
    });
    await expect(field('branch', { branch: [{ branchName: 'East' }, { branchName: 'West' }]})).resolves.toMatchObject({
      format: 'group',
      items: {
        1: { format: 'group', items: { branchName: { items: [[{ value: 'East' }]]}}},
        2: { format: 'group', items: { branchName: { items: [[{ value: 'West' }]]}}},
      },
    });
  });

  it('takes a text with a base direction for the text that it is.', async(): Promise<void> => {
    const { summary, errors } = await inspect({
      holder: { '@value': 'شخص', '@direction': 'rtl' },
      interest: undefined,
      'https://library.example/ns#interest': [
        { '@value': 'تاريخ', '@language': 'ar', '@direction': 'rtl' },
        { '@value': 'geschiedenis', '@language': 'nl-BE', '@direction': 'ltr' },
      ],
    });
    expect(errors).toEqual([]);
    expect(summary!.details).toMatchObject({
      cardHolder: { items: [[{ value: 'شخص', language: null }]]},
      interest: { items: [[{ value: 'geschiedenis', language: 'nl-be' }, { value: 'تاريخ', language: 'ar' }]]},
    });
  });

  it('has the label of the data type as title when the record has none.', async(): Promise<void> => {
    const { summary, errors } = await inspect({ kind: undefined, issued: undefined });
    expect(errors).toEqual([]);
    expect(summary!.title).toContainEqual({ value: 'Carte de bibliothèque', language: 'fr' });
    expect(summary!.subtitle).toEqual([]);
  });

  it.each<[string, string, Record<string, unknown>, MessageName]>([
    [ 'a mandatory value that is missing', 'cardHolder', { holder: undefined }, 'missing' ],
    [ 'a mandatory value of another type', 'cardHolder', { holder: 7 }, 'notText' ],
    [ 'a date that does not exist', 'issued', { issued: '2023-02-29' }, 'notDate' ],
    [ 'a date that is a text', 'issued', { issued: typed('yesterday', 'string') }, 'notDate' ],
    [ 'more dates than allowed', 'issued', { issued: [ '2024-02-28', '2024-02-29' ]}, 'tooMany' ],
    [ 'a malformed number', 'weight', { weight: typed('heavy', 'double') }, 'notNumber' ],
    [ 'a number without end', 'weight', { weight: typed('INF', 'double') }, 'notNumber' ],
    [ 'an unknown code', 'kind', { kind: 'Pirate' }, 'unknownCode' ],
    [ 'a text for a group', 'branch', { branch: 'Central' }, 'notGroup' ],
    [ 'an optional value of another type, even outside the details', 'number', { number: 12 }, 'notText' ],
  ])('shows %s as an error.', async(_name, key, changes, text_): Promise<void> => {
    const { summary, errors } = await inspect(changes);
    const wrong = summary!.details[key];
    expect(wrong.format).toBe('error');
    expect((wrong as { value: unknown[] }).value).toEqual(message(text_));
    expect(errors.map(({ language }): string | null => language)).toEqual([ ...languages ]);
    expect(errors[3].value).toContain(`: ${english(text_)}`);
  });

  it('shows an error within a group in its place, with the path to it.', async(): Promise<void> => {
    const { summary, errors } = await inspect({ branch: {}});
    expect(summary!.details.branch).toMatchObject({ format: 'group', items: { branchName: { format: 'error' }}});
    expect(errors).toContainEqual({ value: `Filiaal, Naam: ${message('missing')[0].value}`, language: 'nl' });
  });

  it('does not let a record define its own codes.', async(): Promise<void> => {
    const kind = { '@id': 'https://library.example/ns#Pirate', '@type': 'http://www.w3.org/2004/02/skos/core#Concept' };
    await expect(field('kind', { kind })).resolves.toMatchObject({ format: 'error' });
  });

  it('inspects a good record after a bad one.', async(): Promise<void> => {
    await inspect({ branch: {}});
    await expect(inspect()).resolves.toMatchObject({ errors: []});
  });

  it('refuses a record of another class.', async(): Promise<void> => {
    await expect(inspect({ '@type': 'Book' })).resolves.toEqual({ summary: null, errors: message('wrongType') });
  });

  describe('looking for the national number', (): void => {
    const found = message('nationalNumber');

    it('allows it in a property that is marked for it.', async(): Promise<void> => {
      await expect(inspect({ number: citizen })).resolves.toMatchObject({ errors: []});
    });

    it.each<[string, Record<string, unknown>]>([
      [ 'a text', { holder: citizen }],
      [ 'a text, with separators', { holder: 'An Example (90.05.12-123.84)' }],
      [ 'a text, with spaces', { holder: '90 05 12 123 84' }],
      [ 'a text, in full-width digits', { holder: '９００５１２１２３８４' }],
      [ 'both a marked property and another', { number: citizen, holder: citizen }],
      [ 'an IRI', { related: { '@id': `https://people.example/${citizen}` }}],
      [ 'an IRI, with encoded separators', { related: { '@id': 'https://people.example/90.05.12%20123%2E84' }}],
      [ 'the IRI of the record', { '@id': `https://people.example/${citizen}` }],
      [ 'a key', { [`card${citizen}`]: 'x' }],
      [ 'a number', { amount: Number(citizen) }],
      [ 'a nested value', { branch: { branchName: citizen }}],
      [ 'an unused part of the context', { '@context': [
        { '@vocab': 'https://library.example/ns#', unused: `https://people.example/${citizen}` },
        { xsd: 'http://www.w3.org/2001/XMLSchema#', issued: { '@type': 'xsd:date' }},
      ]}],
    ])('finds it in %s.', async(_name, changes): Promise<void> => {
      const { errors } = await inspect(changes);
      expect(errors).toEqual(expect.arrayContaining(found));
    });

    it('finds one that lost its leading zeros as a number.', async(): Promise<void> => {
      const { errors } = await inspect({ amount: 30214246 }, '00030214246');
      expect(errors).toEqual(found);
    });

    it('does not mistake another number for it.', async(): Promise<void> => {
      await expect(inspect({ holder: '90051212385' })).resolves.toMatchObject({ errors: []});
    });
  });
});
