import type { Citizen } from '../../../src/identity/CitizenStore';
import type { PersonalDataValue } from '../../../src/personal-data/PersonalDataValue';
import type { SourceRecord } from '../../../src/sources/Source';
import { countRounds } from '../../support/countRounds';
import { certificate, context, SharingBench } from '../../support/sharingBench';

function record(id: string, members: object): SourceRecord {
  return { id, version: '1', credentialSubject: { ...certificate(), ...members }};
}

function texts(count: number, text = 'value'): string[] {
  return Array.from({ length: count }, (_, at): string => `${text} ${at}`);
}

/** A record of 4,900 values. */
function large(id: string): SourceRecord {
  const names = texts(49, 'property').map((name): string => name.replace(' ', ''));
  return record(id, Object.fromEntries(names.map((name): [string, string[]] => [ name, texts(100, id) ])));
}

function english({ error = []}: PersonalDataValue): string {
  return error.filter(({ language }): boolean => language === 'en').map(({ value }): string => value).join(' ');
}

function records(count: number, values: number): SourceRecord[] {
  return Array.from({ length: count }, (_, at): SourceRecord => record(`${at}`, { extra: texts(values, `of ${at}`) }));
}

describe('A list of many or large records', (): void => {
  let bench: SharingBench;
  let citizen: Citizen;

  beforeAll(async(): Promise<void> => {
    bench = await SharingBench.start();
    citizen = await bench.citizen();
  });

  afterAll(async(): Promise<void> => bench.stop());

  it('is read in part, and the rest on the next requests.', async(): Promise<void> => {
    bench.source.records = texts(12).map(large);
    const service = bench.personalData();
    const unread: number[] = [];
    do {
      const values = await service.list(citizen, bench.contract.id, context);
      expect(values).toHaveLength(12);
      unread.push(values.filter((value): boolean => english(value).includes('read here at once')).length);
    } while (unread.at(-1)! > 0 && unread.at(-1)! < (unread.at(-2) ?? 12));
    expect(unread[0]).toBeGreaterThan(1);
    expect(unread.at(-1)).toBe(0);
  });

  it('yields after each step of each record, however many are read at once.', async(): Promise<void> => {
    bench.source.records = records(20, 10);
    const service = bench.personalData();
    const citizens = await Promise.all([ bench.citizen(), bench.citizen(), bench.citizen() ]);
    const rounds = await countRounds(async(): Promise<unknown> => Promise.all(citizens
      .map(async(one): Promise<unknown> => service.list(one, bench.contract.id, context))));
    expect(rounds).toBeGreaterThanOrEqual(20 * 3 * 3);
  });

  it('has an error for a record that is too large, or crafted to take long.', async(): Promise<void> => {
    const ids = Array.from({ length: 90 }, (_, at): string => `_:b${at}`);
    const alike = ids.map((id, at): object => ({ '@id': id, next: { '@id': ids[(at + 1) % 90] }}));
    bench.source.records = [
      record('values', { extra: texts(5001) }),
      record('values of one property', { extra: texts(1001) }),
      record('text', { extra: 'x'.repeat(1024 * 1024) }),
      record('blank nodes', { extra: Array.from({ length: 101 }).fill({}) }),
      record('list', { extra: { '@list': texts(101) }}),
      record('described', { student: texts(1000).map((_text, at): object => ({ '@id': `urn:x:${at}` })) }),
      record('alike', { extra: alike }),
      large('not described'),
    ];
    const values = await bench.personalData().list(citizen, bench.contract.id, context);
    expect(values.map(english)).toEqual([
      ...Array.from({ length: 6 }).fill(expect.stringContaining('too large')),
      expect.stringContaining('expected form'),
      expect.stringContaining('does not belong'),
    ]);
  });
});
