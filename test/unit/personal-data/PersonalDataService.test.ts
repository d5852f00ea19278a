import type { Citizen } from '../../../src/identity/CitizenStore';
import type { PersonalDataValue } from '../../../src/personal-data/PersonalDataValue';
import type { SourceRecord } from '../../../src/sources/Source';
import { fictitiousNumber } from '../../support/fictitiousNumber';
import {
  certificate,
  context,
  dataType,
  iris,
  MemorySource,
  otherType,
  plainRecord,
  SharingBench,
} from '../../support/sharingBench';

function expectError(value: PersonalDataValue, english: RegExp): void {
  expect(value.error?.map(({ language }): string | null => language).sort()).toEqual([ 'de', 'en', 'fr', 'nl' ]);
  expect(value.error?.find(({ language }): boolean => language === 'en')?.value).toMatch(english);
}

describe('The personal data of a contract', (): void => {
  let bench: SharingBench;
  let citizen: Citizen;

  beforeAll(async(): Promise<void> => {
    bench = await SharingBench.start();
    citizen = await bench.citizen();
  });

  beforeEach((): void => {
    bench.source.isDown = false;
    bench.source.records = [];
    bench.source.trustedIssuers.length = 0;
    bench.contract.forDataType = [ dataType ];
  });

  afterAll(async(): Promise<void> => bench.stop());

  async function list(by = citizen): Promise<PersonalDataValue[]> {
    return bench.personalData().list(by, bench.contract.id, context);
  }

  async function signedRecord(id: string): Promise<SourceRecord> {
    const { document } = await bench.credentials
      .issue({ webId: citizen.webId, dataType, subject: certificate() });
    return { id, version: '1', credential: document };
  }

  it('is the credential to be issued, without proof and status, with a summary.', async(): Promise<void> => {
    bench.source.records = [ plainRecord('a') ];
    const [ value ] = await list();
    expect(value).not.toHaveProperty('error');
    expect(value.type).toBe(dataType);
    expect(value.summary?.title).toContainEqual({ value: 'Bachelor of Education', language: 'en' });
    const document = JSON.parse(value.value!);
    expect(document).toMatchObject({
      issuer: iris.credentialIssuer,
      credentialSubject: { id: citizen.webId, academicYear: '2025-2026' },
    });
    expect(document).not.toHaveProperty('proof');
    expect(document).not.toHaveProperty('credentialStatus');
  });

  it('has stable ids, over citizen, record and version.', async(): Promise<void> => {
    bench.source.records = [ plainRecord('a'), plainRecord('b') ];
    const ids = (await list()).map(({ id }): string => id);
    expect((await list()).map(({ id }): string => id)).toEqual(ids);
    expect((await list(await bench.citizen())).map(({ id }): string => id)).not.toEqual(ids);
    bench.source.records = [ plainRecord('a', '2'), plainRecord('b') ];
    const changed = (await list()).map(({ id }): string => id);
    expect(changed[0]).not.toBe(ids[0]);
    expect(changed[1]).toBe(ids[1]);
    expect(new Set([ ...ids, ...changed ]).size).toBe(3);
  });

  it('has an error for a record that does not conform to its data type.', async(): Promise<void> => {
    const { academicYear, ...incomplete } = certificate();
    expect(academicYear).toBeDefined();
    bench.source.records = [{ id: 'a', version: '1', credentialSubject: incomplete }, plainRecord('b') ];
    const [ bad, good ] = await list();
    expect(bad.error?.length).toBeGreaterThan(0);
    expect(good.error).toBeUndefined();
  });

  it('has an error for a record with the citizen\'s number in the wrong place.', async(): Promise<void> => {
    const number = (await bench.records.citizens.getNationalNumber(citizen.id)).reveal();
    const signed = await signedRecord('b');
    bench.source.trustedIssuers.push(iris.credentialIssuer);
    bench.source.records = [
      { id: 'a', version: '1', credentialSubject: { ...certificate(), academicYear: number }},
      { ...signed, credential: { ...signed.credential, id: `urn:person:${number.slice(0, 6)}-${number.slice(6)}` }},
    ];
    const [ plain, kept ] = await list();
    expect(plain.error?.length).toBeGreaterThan(0);
    expect(kept.error?.map(({ value }): string => value).join(' ')).toMatch(/hold your national number/u);
  });

  it('has an error for a record with the citizen\'s number in its id or version.', async(): Promise<void> => {
    const number = (await bench.records.citizens.getNationalNumber(citizen.id)).reveal();
    bench.source.records = [
      plainRecord(`diploma-${number.slice(0, 6)}-${number.slice(6, 9)}.${number.slice(9)}`),
      plainRecord('b', number),
      plainRecord('c'),
    ];
    const [ first, second, other ] = await list();
    expectError(first, /national register number/u);
    expectError(second, /national register number/u);
    expect(first).not.toHaveProperty('value');
    expect(other.error).toBeUndefined();
  });

  it('has an error for a record whose id or version no database stores as it is.', async(): Promise<void> => {
    bench.source.records = [
      plainRecord('\uD800'),
      plainRecord('\uD801'),
      plainRecord('a\0'),
      plainRecord('b', '\uDFFF'),
      plainRecord('c', '\0'),
      plainRecord('\u{1F600}'),
    ];
    const values = await list();
    const [ first ] = values;
    expectError(first, /cannot be read/u);
    expect(values.map(({ error }): boolean => error !== undefined)).toEqual([ true, true, true, true, true, false ]);
  });

  it('keeps a trusted issuer\'s credential unchanged.', async(): Promise<void> => {
    const record = await signedRecord('a');
    bench.source.records = [ record ];
    bench.source.trustedIssuers.push(iris.credentialIssuer);
    const [ value ] = await list();
    expect(value).not.toHaveProperty('error');
    expect(JSON.parse(value.value!)).toEqual(record.credential);
    expect(value.summary).not.toBeNull();
  });

  it('has an error for a signed credential that is not trusted, altered or revoked.', async(): Promise<void> => {
    const record = await signedRecord('a');
    bench.source.records = [ record ];
    expectError((await list())[0], /issuer of this record is not trusted/u);

    bench.source.trustedIssuers.push(iris.credentialIssuer);
    bench.source.records = [
      { ...record, credential: { ...record.credential, credentialSubject: { ...certificate(), fullTime: false }}},
    ];
    expectError((await list())[0], /signature of this record is not valid/u);

    bench.source.records = [{ ...record, credential: { ...record.credential, credentialSubject: []}}];
    expect((await list())[0].error).toBeDefined();

    const { document, status } = await bench.credentials
      .issue({ webId: citizen.webId, dataType, subject: certificate() });
    await bench.records.statusLists.revoke(status, bench.now);
    bench.source.records = [{ id: 'a', version: '1', credential: document }];
    expectError((await list())[0], /revoked/u);
  });

  it('is still listed when one of its sources cannot be asked.', async(): Promise<void> => {
    const down = new MemorySource(otherType);
    down.isDown = true;
    bench.contract.forDataType = [ otherType, dataType ];
    bench.source.records = [ plainRecord('a') ];
    const values = await bench.personalData([ down, bench.source ]).list(citizen, bench.contract.id, context);
    expect(values).toHaveLength(2);
    expect(values[0]).toMatchObject({ type: otherType, summary: null });
    expect(values[0]).not.toHaveProperty('value');
    expectError(values[0], /cannot be reached/u);
    expect(values[1].error).toBeUndefined();
  });

  it('has an error for a type without a source, and for too many records.', async(): Promise<void> => {
    bench.contract.forDataType = [ otherType, dataType ];
    bench.source.records = [ ...Array.from({ length: 201 }).keys() ]
      .map((index): SourceRecord => plainRecord(String(index)));
    const [ missing, tooMany, ...others ] = await list();
    expectError(missing, /No source/u);
    expectError(tooMany, /more data/u);
    expect(others).toEqual([]);
  });

  it('has an error for a record that the source delivers twice.', async(): Promise<void> => {
    bench.source.records = [ plainRecord('a'), plainRecord('a', '2'), plainRecord('a'), plainRecord('b') ];
    const values = await list();
    expect(values.map(({ error }): boolean => error !== undefined)).toEqual([ true, true, true, false ]);
    expect(new Set(values.map(({ id }): string => id)).size).toBe(4);
  });

  it('has an error for a record that cannot be read, and lists the others.', async(): Promise<void> => {
    bench.source.records = [{ id: 'a', version: '1' }, plainRecord('b'), { id: 'c', version: '1', problem: 'x' }];
    const [ bad, good, known ] = await list();
    expectError(bad, /cannot be read/u);
    expectError(known, /cannot be read/u);
    expect(good.error).toBeUndefined();
  });

  it('is listed with an audit row that contains no number.', async(): Promise<void> => {
    bench.source.records = [ plainRecord('a') ];
    await list();
    await bench.records.audit.flush();
    const events = (await bench.records.audit.list(0, 1000)).map(({ event }): object => event);
    expect(events.at(-1)).toMatchObject({
      type: 'data.listed',
      facts: { contract: bench.contract.id, contractDigest: bench.contract.digest, values: 1, app: context.app },
      personal: { webId: citizen.webId },
      citizenId: citizen.id,
    });
    expect(JSON.stringify(events) + bench.logged.join(' ')).not.toContain(fictitiousNumber(1));
  });
});
