import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ContractFolder } from '../../../src/contracts/ContractFolder';
import type { ContractFolderOptions } from '../../../src/contracts/ContractFolder';
import type { DataTypeCatalogue } from '../../../src/data-types/DataType';
import { Mistakes } from '../../../src/platform/Mistakes';
import { ContractIdInvalid, ContractNotConsumable, ContractNotFound } from '../../../src/problems';
import { loadDataTypes } from '../../support/mistakes';

const base = 'https://pods.example/';
const diploma = `${base}v1/data-types/diploma/2024-05-22`;
const certificate = `${base}v1/data-types/student-certificate/2024-06-01`;

describe('A ContractFolder', (): void => {
  let folder: string;
  let dataTypes: DataTypeCatalogue;
  let agreement: Record<string, unknown>;
  let used: Map<string, string>;
  let warnings: string[];
  const purposes = {
    find: (path: string): [] | undefined => path === '/v1/purposes/employment' ? [] : undefined,
  };

  beforeAll(async(): Promise<void> => {
    dataTypes = await loadDataTypes({ base });
    const text = await readFile(join(__dirname, '../../fixtures/contracts/agreement.jsonld'), 'utf8');
    agreement = JSON.parse(text) as Record<string, unknown>;
  });

  beforeEach(async(): Promise<void> => {
    folder = await mkdtemp(join(tmpdir(), 'contracts-'));
    used = new Map();
  });

  afterEach(async(): Promise<void> => rm(folder, { recursive: true }));

  async function write(id: string, changes: Record<string, unknown> = {}): Promise<void> {
    await writeFile(join(folder, `${id}.jsonld`), JSON.stringify({ ...agreement, ...changes }));
  }

  async function open(options: Partial<ContractFolderOptions> = {}): Promise<ContractFolder> {
    const uses = { list: async(): Promise<Map<string, string>> => used };
    const mistakes = new Mistakes();
    const all = { folder, base, dataTypes, uses, purposes, timeZone: 'Europe/Brussels', ...options };
    const contracts = await ContractFolder.open(all, mistakes);
    mistakes.throwErrors();
    warnings = mistakes.warnings;
    return contracts;
  }

  it('gives a contract with absolute IRIs.', async(): Promise<void> => {
    await write('job-1');
    const contract = (await open()).get('job-1');
    expect(contract).toMatchObject({
      id: 'job-1',
      uri: `${base}v1/contracts/job-1`,
      forDataUser: `${base}consumer/profile/card#me`,
      forDataType: [ diploma, certificate ],
      forPurpose: 'https://purposes.example/employment',
      accessMode: 'READ',
      accessDuration: 'P30D',
      startDate: '2025-03-01',
      endDate: '2025-10-31',
    });
  });

  it('returns the document with its own URL.', async(): Promise<void> => {
    await write('job-1', { accessMode: undefined, endDate: null });
    expect((await open()).get('job-1').document).toEqual({
      '@context': `${base}v1/contexts/contract/2024-10-08`,
      '@id': `${base}v1/contracts/job-1`,
      '@type': `${base}v1/ns/core#Contract`,
      startDate: '2025-03-01',
      endDate: null,
      accessDuration: 'P30D',
      forDataUser: `${base}consumer/profile/card#me`,
      forDataType: [ diploma, certificate ],
      forPurpose: 'https://purposes.example/employment',
    });
  });

  it('accepts absolute IRIs of this server.', async(): Promise<void> => {
    await write('job-1', {
      '@context': `${base}v1/contexts/contract/2024-10-08`,
      '@type': `${base}v1/ns/core#Contract`,
    });
    await expect(open()).resolves.toBeDefined();
  });

  it.each<[string, Record<string, unknown>, string]>([
    [ 'another context', { '@context': 'https://other.example/context' }, '@context' ],
    [ 'no context', { '@context': undefined }, '@context' ],
    [ 'another type', { '@type': '/v1/ns/core#Diploma' }, '@type' ],
    [ 'an unknown member', { price: 'free' }, 'price' ],
    [ 'a start that is not a date', { startDate: '2025-02-30' }, 'startDate' ],
    [ 'a start with a time', { startDate: '2025-02-28T00:00:00Z' }, 'startDate' ],
    [ 'a start that is null', { startDate: null }, 'startDate' ],
    [ 'an end that is not a date', { endDate: 'tomorrow' }, 'endDate' ],
    [ 'an end before its start', { endDate: '2025-02-28' }, 'endDate' ],
    [ 'another access mode', { accessMode: 'APPEND' }, 'accessMode' ],
    [ 'an access mode in small letters', { accessMode: 'read' }, 'accessMode' ],
    [ 'no duration', { accessDuration: undefined }, 'accessDuration' ],
    [ 'a malformed duration', { accessDuration: '30 days' }, 'accessDuration' ],
    [ 'a duration of nothing', { accessDuration: 'P0D' }, 'accessDuration' ],
    [ 'a duration without parts', { accessDuration: 'P' }, 'accessDuration' ],
    [ 'a duration with an empty time', { accessDuration: 'P1DT' }, 'accessDuration' ],
    [ 'a negative duration', { accessDuration: '-P1D' }, 'accessDuration' ],
    [ 'a duration that outlasts every calendar', { accessDuration: 'P999999999Y' }, 'accessDuration' ],
    [ 'no data user', { forDataUser: undefined }, 'forDataUser' ],
    [ 'a data user that is not an IRI', { forDataUser: 'consumer' }, 'forDataUser' ],
    [ 'a data user on whatever host', { forDataUser: '//evil.example/me' }, 'forDataUser' ],
    [ 'a data user that is no WebID', { forDataUser: 'urn:uuid:4b1d0a52-6b7d-4c93-9d49-fd5f7fbd3b7e' }, 'forDataUser' ],
    [ 'no data types', { forDataType: []}, 'forDataType' ],
    [ 'a data type outside a list', { forDataType: '/v1/data-types/diploma/2024-05-22' }, 'forDataType' ],
    [ 'an unknown data type', { forDataType: [ '/v1/data-types/passport/2024-01-01' ]}, 'forDataType' ],
    [ 'a data type twice', { forDataType: [ '/v1/data-types/diploma/2024-05-22', diploma ]}, 'forDataType' ],
    [ 'no purpose', { forPurpose: undefined }, 'forPurpose' ],
    [ 'a purpose that nobody could name', { forPurpose: `https://purposes.example/${'a'.repeat(2048)}` }, 'forPurpose' ],
    [ 'a purpose with a space', { forPurpose: 'https://purposes.example/a b' }, 'forPurpose' ],
  ])('refuses to open with %s, naming file and member.', async(_name, changes, member): Promise<void> => {
    await write('job-1', changes);
    const opening = open();
    await expect(opening).rejects.toThrow(join(folder, 'job-1.jsonld'));
    await expect(opening).rejects.toThrow(new RegExp(`: /${member}(?:/\\d)? `, 'u'));
  });

  it.each([ '[]', '"x"', 'null' ])('refuses to open with a document that is %s.', async(text): Promise<void> => {
    await writeFile(join(folder, 'job-1.jsonld'), text);
    await expect(open()).rejects.toThrow('job-1.jsonld: the document');
  });

  it('names line and column of malformed JSON, and every wrong file.', async(): Promise<void> => {
    await writeFile(join(folder, 'job-1.jsonld'), '{\n  "startDate": 2025-01-01\n}');
    await write('job-2', { forDateUser: 'x' });
    await expect(open()).rejects.toThrow(/job-1\.jsonld:2:\d+: not JSON: /u);
    await expect(open()).rejects.toThrow(
      `${join(folder, 'job-2.jsonld')}: /forDateUser is not a member of a contract; did you mean /forDataUser?`,
    );
  });

  it.each([
    [ 'another kind', 'contract.json', 'is ignored: a contract must be in a file {id}.jsonld' ],
    [ 'another case', 'job-1.JSONLD', 'is ignored: a contract must be in a file {id}.jsonld' ],
    [ 'an editor', 'job-1.jsonld~', 'is ignored: a contract must be in a file {id}.jsonld' ],
  ])('warns of a file of %s, %s.', async(_what, name, warning): Promise<void> => {
    await writeFile(join(folder, name), '{}');
    await open();
    expect(warnings).toEqual([ `${join(folder, name)}: ${warning}` ]);
  });

  it('warns of a purpose of this server that is not described, and of no other.', async(): Promise<void> => {
    await write('job-1', { forPurpose: '/v1/purposes/employment' });
    await write('job-2', { forPurpose: '/v1/purposes/emploiment' });
    await write('job-3', { forPurpose: `${base}v1/purposes/%zz` });
    await open();
    expect(warnings).toEqual([
      expect.stringMatching(/job-2\.jsonld: \/forPurpose names \S+\/purposes\/emploiment, .* emploiment\.ttl/u),
      expect.stringContaining('job-3.jsonld: /forPurpose'),
    ]);
  });

  it('refuses to open with a file name that is not a contract id.', async(): Promise<void> => {
    await write('job 1');
    await expect(open()).rejects.toThrow('job 1.jsonld');
  });

  it('has no contracts where there is no folder.', async(): Promise<void> => {
    expect((await open({ folder: join(folder, 'absent') })).list()).toEqual([]);
  });

  it('refuses a folder that is a file.', async(): Promise<void> => {
    await write('job-1');
    await expect(open({ folder: join(folder, 'job-1.jsonld') })).rejects.toThrow('--contracts');
  });

  it('refuses an unknown time zone.', async(): Promise<void> => {
    await expect(open({ timeZone: 'Europe/Atlantis' })).rejects.toThrow('--timeZone');
  });

  it('ignores folders, hidden files and files of another kind.', async(): Promise<void> => {
    await write('job-1');
    await write('.job-2');
    await writeFile(join(folder, 'README.md'), '# Contracts');
    await mkdir(join(folder, 'old'));
    expect((await open()).list().map(({ id }): string => id)).toEqual([ 'job-1' ]);
  });

  it('tells malformed ids from unknown ones.', async(): Promise<void> => {
    const contracts = await open();
    for (const id of [ '', 'a/b', '../x', 'a b', 'é' ]) {
      expect((): unknown => contracts.get(id)).toThrow(ContractIdInvalid);
    }
    for (const id of [ 'job-1', '..', '__proto__', 'constructor' ]) {
      expect((): unknown => contracts.get(id)).toThrow(ContractNotFound);
    }
  });

  it('allows consumption on a contract\'s first and last day, in the time zone.', async(): Promise<void> => {
    await write('job-1');
    const contracts = await open();
    for (const moment of [ '2025-02-28T23:00:00.000Z', '2025-10-31T22:59:59.999Z' ]) {
      expect(contracts.getConsumable('job-1', new Date(moment)).id).toBe('job-1');
    }
    for (const moment of [ '2025-02-28T22:59:59.999Z', '2025-10-31T23:00:00.000Z' ]) {
      expect((): unknown => contracts.getConsumable('job-1', new Date(moment))).toThrow(ContractNotConsumable);
    }
  });

  describe('reading the folder again', (): void => {
    it('applies additions, changes and removals.', async(): Promise<void> => {
      await write('job-1');
      await write('job-2');
      const contracts = await open();
      await write('job-1', { accessDuration: 'P60D' });
      await write('job-3');
      await unlink(join(folder, 'job-2.jsonld'));
      expect((await contracts.reload()).lines).toEqual([]);
      expect(contracts.get('job-1').accessDuration).toBe('P60D');
      expect(contracts.list().map(({ id }): string => id)).toEqual([ 'job-1', 'job-3' ]);
    });

    it('keeps a contract whose file is now wrong, and updates the others.', async(): Promise<void> => {
      await write('job-1');
      const contracts = await open();
      await write('job-1', { accessDuration: 'soon' });
      await write('job-2', { forPurpose: 7 });
      await write('job-3');
      const { errors: findings } = await contracts.reload();
      expect(findings).toHaveLength(2);
      expect(findings[0]).toContain('job-1.jsonld: /accessDuration');
      expect(findings[1]).toContain('job-2.jsonld: /forPurpose');
      expect(contracts.get('job-1').accessDuration).toBe('P30D');
      expect(contracts.list().map(({ id }): string => id)).toEqual([ 'job-1', 'job-3' ]);
    });

    it('keeps an earlier contract in whose place is a named pipe.', async(): Promise<void> => {
      await write('job-1');
      const contracts = await open();
      await rm(join(folder, 'job-1.jsonld'));
      execFileSync('mkfifo', [ join(folder, 'job-1.jsonld') ]);
      expect((await contracts.reload()).errors)
        .toEqual([ `${join(folder, 'job-1.jsonld')}: it is a named pipe, not a file` ]);
      expect(contracts.get('job-1').id).toBe('job-1');
    });

    it('keeps all contracts when the folder cannot be read.', async(): Promise<void> => {
      await write('job-1');
      const contracts = await open();
      await rm(folder, { recursive: true });
      await writeFile(folder, 'a file');
      expect((await contracts.reload()).errors).toEqual([ expect.stringContaining('--contracts') ]);
      expect(contracts.get('job-1').id).toBe('job-1');
    });
  });

  describe('with a contract that is in use', (): void => {
    const changes: [string, unknown][] = [
      [ 'forDataUser', '/other/profile/card#me' ],
      [ 'forPurpose', 'https://purposes.example/marketing' ],
      [ 'forDataType', [ '/v1/data-types/diploma/2024-05-22' ]],
      [ 'accessMode', 'WRITE' ],
      [ 'accessDuration', 'P31D' ],
    ];

    it.each(changes)('refuses a change of %s when read again, naming it.', async(member, value): Promise<void> => {
      await write('job-1');
      const contracts = await open();
      const { digest } = contracts.get('job-1');
      used.set('job-1', digest);
      await write('job-1', { [member]: value });
      const { errors } = await contracts.reload();
      expect(errors).toEqual([ expect.stringContaining(`job-1.jsonld: ${member} changed`) ]);
      expect(contracts.get('job-1').digest).toBe(digest);
    });

    it.each(changes)('refuses to open after a change of %s.', async(member, value): Promise<void> => {
      await write('job-1');
      used.set('job-1', (await open()).get('job-1').digest);
      await write('job-1', { [member]: value });
      const opening = open();
      await expect(opening).rejects.toThrow('job-1.jsonld');
      await expect(opening).rejects.toThrow(member);
    });

    it('accepts other dates, another order of types and an explicit default mode.', async(): Promise<void> => {
      await write('job-1');
      used.set('job-1', (await open()).get('job-1').digest);
      await write('job-1', {
        startDate: '2024-01-01',
        endDate: null,
        accessMode: undefined,
        forDataType: [ ...agreement.forDataType as string[] ].reverse(),
      });
      expect((await open()).get('job-1').endDate).toBeUndefined();
    });
  });

  it('opens the example contracts.', async(): Promise<void> => {
    const contracts = await open({ folder: join(__dirname, '../../../demo/data/contracts') });
    const now = new Date('2026-06-01T12:00:00Z');
    expect(contracts.list()).toHaveLength(6);
    expect(contracts.getConsumable('diploma-employment', now).accessMode).toBe('READ');
    expect(contracts.getConsumable('diploma-equivalence', now).accessMode).toBe('WRITE');
    for (const id of [ 'future-enrolment', 'ended-campaign' ]) {
      expect((): unknown => contracts.getConsumable(id, now)).toThrow(ContractNotConsumable);
    }
  });
});
