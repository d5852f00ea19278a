import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { belgianNumbers as numbers } from '../../../../src/identity/belgianNumbers';
import { FilesSource } from '../../../../src/sources/files/FilesSource';
import { SourceFailure } from '../../../../src/sources/Source';

const dataType = 'https://pods.example/v1/data-types/library-card/2025-02-01';
const citizen = '90051212384';
const other = '88430533119';
const notNumber = ': /citizen must be a national number: a text, with its check digits';

describe('A FilesSource', (): void => {
  let folder: string;
  let record: Record<string, unknown>;
  let source: FilesSource;
  const logs: string[] = [];
  const logger = { warn: (line: string): void => void logs.push(line) };

  beforeAll(async(): Promise<void> => {
    const text = await readFile(join(__dirname, '../../../fixtures/sources/record.json'), 'utf8');
    record = JSON.parse(text) as Record<string, unknown>;
  });

  beforeEach(async(): Promise<void> => {
    folder = await mkdtemp(join(tmpdir(), 'source-'));
    logs.length = 0;
    source = await FilesSource.open({ dataType, folder, numbers, logger });
  });

  afterEach(async(): Promise<void> => rm(folder, { recursive: true }));

  async function write(name: string, changes: Record<string, unknown> = {}): Promise<void> {
    await writeFile(join(folder, name), JSON.stringify({ ...record, ...changes }));
  }

  it('returns the records of the citizen, and no others.', async(): Promise<void> => {
    await write('a.json');
    await write('b.json', { id: 'card-2', citizen });
    await write('c.json', { id: 'card-3', citizen: other });
    expect((await source.list(citizen)).map(({ id }): string => id)).toEqual([ 'card-1', 'card-2' ]);
    expect((await source.list(other)).map(({ id }): string => id)).toEqual([ 'card-3' ]);
    await expect(source.list('72091999312')).resolves.toEqual([]);
  });

  it('omits the citizen, and resolves paths in the context against the server.', async(): Promise<void> => {
    await write('a.json');
    const [ found ] = await source.list(citizen);
    expect(found).toEqual({
      id: 'card-1',
      version: expect.stringMatching(/^7~[\da-f]{16}$/u),
      credentialSubject: {
        '@context': { '@vocab': 'https://pods.example/v1/ns/core#', note: 'https://library.example/ns#note' },
        '@type': 'LibraryCard',
        note: '/v1/left/alone',
      },
    });
  });

  it('keeps a signed credential unchanged.', async(): Promise<void> => {
    const credential = { '@context': [ '/v1/x' ], proof: { '@context': '/v1/y' }};
    await write('a.json', { credentialSubject: undefined, credential });
    const [ found ] = await source.list(citizen);
    expect(found.credential).toEqual(credential);
    expect(found.credentialSubject).toBeUndefined();
  });

  it('notices a changed, new and removed file immediately.', async(): Promise<void> => {
    await write('a.json');
    const [ before ] = await source.list(citizen);
    await write('a.json', { credentialSubject: { note: 'changed' }});
    await write('b.json', { id: 'card-2' });
    const [ after, added ] = await source.list(citizen);
    expect(after.version).not.toBe(before.version);
    expect(added.id).toBe('card-2');
    await unlink(join(folder, 'a.json'));
    expect((await source.list(citizen)).map(({ id }): string => id)).toEqual([ 'card-2' ]);
  });

  it('keeps the version of a file that was rewritten unchanged.', async(): Promise<void> => {
    await write('a.json');
    const before = await source.list(citizen);
    await write('a.json');
    await expect(source.list(citizen)).resolves.toEqual(before);
  });

  it('verifies a record that still exists in its version.', async(): Promise<void> => {
    await write('a.json');
    const [{ id, version }] = await source.list(citizen);
    await expect(source.verify({ id, version })).resolves.toBe(true);
    await expect(source.verify({ id, version: '7' })).resolves.toBe(false);
    await expect(source.verify({ id: 'card-2', version })).resolves.toBe(false);
    await write('a.json', { version: '8' });
    await expect(source.verify({ id, version })).resolves.toBe(false);
    await unlink(join(folder, 'a.json'));
    await expect(source.verify({ id, version })).resolves.toBe(false);
  });

  it.each<[string, Record<string, unknown>]>([
    [ 'no id', { id: undefined }],
    [ 'an empty id', { id: '' }],
    [ 'a version that is not text', { version: 7 }],
    [ 'neither subject nor credential', { credentialSubject: undefined }],
    [ 'both subject and credential', { credential: {}}],
    [ 'a subject that is a list', { credentialSubject: []}],
    [ 'an unknown member', { colour: 'red' }],
  ])('has an unreadable record of the citizen of a file with %s, and logs the file.', async(
    _name,
    changes,
  ): Promise<void> => {
    await write('a.json', changes);
    await write('b.json', { id: 'card-2' });
    await write('c.json', { id: 'card-3', citizen: other });
    const [ bad, good ] = await source.list(citizen);
    expect(bad).toEqual({ id: expect.any(String), version: expect.any(String), problem: expect.any(String) });
    expect(good).toMatchObject({ id: 'card-2', credentialSubject: {}});
    expect(good.problem).toBeUndefined();
    expect((await source.list(other)).map(({ id }): string => id)).toEqual([ 'card-3' ]);
    expect(logs).toEqual([ `${join(folder, 'a.json')}: ${bad.problem}: this record is left out.` ]);
  });

  it.each([
    [ '{', ':1:2: not JSON: close brace expected' ],
    [ '{\n  "id": 12345678901 x\n}', ':2:21: not JSON: invalid symbol' ],
    [ '[]', ': must be one JSON object' ],
    [ '{"citizen": "12"}', notNumber ],
    [ '{"citizen": 90051212384}', notNumber ],
    [ '{"citizen": "90051212385"}', notNumber ],
    [ '{"citizen": "90.13.12-123.84"}', notNumber ],
  ])('is not affected by a file without a known citizen, and logs it once: %s.', async(
    text,
    line,
  ): Promise<void> => {
    await writeFile(join(folder, 'a.json'), text);
    await write('b.json');
    for (let times = 0; times < 2; times += 1) {
      expect((await source.list(citizen)).map(({ id }): string => id)).toEqual([ 'card-1' ]);
      await expect(source.list(other)).resolves.toEqual([]);
    }
    expect(logs).toEqual([ `${join(folder, 'a.json')}${line}: this record is left out.` ]);
  });

  it('logs a file again if it was corrected and is wrong again.', async(): Promise<void> => {
    for (const text of [ '{', JSON.stringify(record), '{' ]) {
      await writeFile(join(folder, 'a.json'), text);
      await source.list(citizen);
    }
    expect(logs).toHaveLength(2);
  });

  it('does not report a record as gone while a file that may be it is unreadable.', async(): Promise<void> => {
    await write('a.json');
    const [{ id, version }] = await source.list(citizen);
    await write('a.json', { colour: 'red' });
    await expect(source.verify({ id, version })).rejects.toThrow(SourceFailure);
    await expect(source.verify({ id: 'card-2', version })).resolves.toBe(false);
    await writeFile(join(folder, 'a.json'), '{');
    await expect(source.verify({ id, version })).rejects.toThrow(join(folder, 'a.json:1:2'));
    await write('a.json');
    await expect(source.verify({ id, version })).resolves.toBe(true);
  });

  it.each([ citizen, '90.05.12-123.84', '90051212385', '900512_123_84', `card-${citizen}-1` ])(
    'identifies a file named after a number like %s without showing the number.',
    async(name): Promise<void> => {
      await write('0.json', { id: 'card-0' });
      await write(`${name}.json`, { id: undefined, [name]: 'x' });
      await source.list(citizen);
      await expect(source.verify({ id: 'card-9', version: '7' })).rejects.toThrow('(number 2 of 2 by name)');
      expect(logs).toEqual([ expect.stringContaining('[number]') ]);
      expect(logs[0]).toContain('(number 2 of 2 by name)');
      expect(logs[0]).not.toMatch(/90\D*05\D*12\D/u);
    },
  );

  it('refuses a named pipe without waiting for a writer.', async(): Promise<void> => {
    await write('a.json');
    execFileSync('mkfifo', [ join(folder, 'b.json') ]);
    const problems = [ `${join(folder, 'b.json')}: cannot be read: it is a named pipe, not a file` ];
    await expect(source.check()).resolves.toEqual({ records: 1, problems });
  });

  it('names a few of many records with the same id.', async(): Promise<void> => {
    for (const name of [ 'a', 'b', 'c', 'd', 'e', 'f' ]) {
      await write(`${name}.json`);
    }
    const found = (await source.list(citizen)).map(({ problem }): string | undefined => problem);
    expect(found[0]).toBe('/id is also that of b.json, c.json, d.json and 2 more');
    expect(found[1]).toBe('/id is also that of a.json, c.json, d.json and 2 more');
    expect(found[5]).toBe('/id is also that of a.json, b.json, c.json and 2 more');
  });

  it('treats records with the same id as unreadable, names both files, and keeps others.', async(
  ): Promise<void> => {
    await write('a.json');
    await write('b.json', { citizen: other });
    await write('c.json', { id: 'card-2' });
    const [ twice, once ] = await source.list(citizen);
    expect([ twice.problem, once.problem ]).toEqual([ '/id is also that of b.json', undefined ]);
    expect((await source.list(other))[0].problem).toBe('/id is also that of a.json');
    await expect(source.verify({ id: 'card-1', version: '7' })).rejects.toThrow(SourceFailure);
    expect(logs).toHaveLength(2);
  });

  it('counts its valid records, and reports the problems of the others.', async(): Promise<void> => {
    await write('a.json');
    await write('b.json', { version: 1 });
    await expect(source.check()).resolves.toEqual({
      records: 1,
      problems: [ `${join(folder, 'b.json')}: /version must be a text` ],
    });
  });

  it.each([ 'a.jsonld', 'a.JSON', 'a.ndjson', 'a.json5' ])(
    'reports %s as no name of a record, and reads the other files.',
    async(name): Promise<void> => {
      await write(name);
      await write('README.md');
      await write('.a.json');
      await write('a.json~');
      const problem = `${join(folder, name)}: the name of a record ends in .json`;
      await expect(source.check()).resolves.toEqual({ records: 0, problems: [ problem ]});
      await expect(source.list(citizen)).resolves.toEqual([]);
    },
  );

  it('fails if there is no folder.', async(): Promise<void> => {
    const absent = new FilesSource({ dataType, folder: join(folder, 'absent'), numbers, logger });
    await expect(absent.list(citizen)).rejects.toThrow(SourceFailure);
  });

  it('trusts the issuers given and those of its source.json, which is no record.', async(): Promise<void> => {
    await writeFile(join(folder, 'source.json'), '{"trustedIssuers":["https://school.example/issuer"]}');
    const trustedIssuers = [ 'https://other.example/' ];
    const trusting = await FilesSource.open({ dataType, folder, trustedIssuers, numbers, logger });
    expect(trusting.trustedIssuers).toEqual([ 'https://other.example/', 'https://school.example/issuer' ]);
    await expect(trusting.list(citizen)).resolves.toEqual([]);
  });

  it.each([ '{', '[]', '{"trustedIssuers":"https://school.example/"}', '{"trustedIssuer":[]}' ])(
    'refuses a source.json that is %s, naming it.',
    async(text): Promise<void> => {
      await writeFile(join(folder, 'source.json'), text);
      await expect(FilesSource.open({ dataType, folder, numbers, logger }))
        .rejects.toThrow(join(folder, 'source.json'));
    },
  );
});
