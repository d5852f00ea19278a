import { mkdtemp, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FilesSource } from '../../../src/sources/files/FilesSource';
import { SourceFailure } from '../../../src/sources/Source';

const dataType = 'https://pods.example/v1/data-types/library-card/2025-02-01';
const citizen = '90051212384';
const other = '88430533119';

describe('A FilesSource', (): void => {
  let folder: string;
  let record: Record<string, unknown>;
  let source: FilesSource;

  beforeAll(async(): Promise<void> => {
    const text = await readFile(join(__dirname, '../../fixtures/sources/record.json'), 'utf8');
    record = JSON.parse(text) as Record<string, unknown>;
  });

  beforeEach(async(): Promise<void> => {
    folder = await mkdtemp(join(tmpdir(), 'source-'));
    source = await FilesSource.open(dataType, folder);
  });

  afterEach(async(): Promise<void> => rm(folder, { recursive: true }));

  async function write(name: string, changes: Record<string, unknown> = {}): Promise<void> {
    await writeFile(join(folder, name), JSON.stringify({ ...record, ...changes }));
  }

  it('gives the records of the citizen who asks, and no others.', async(): Promise<void> => {
    await write('a.json');
    await write('b.json', { id: 'card-2', citizen });
    await write('c.json', { id: 'card-3', citizen: other });
    expect((await source.list(citizen)).map(({ id }): string => id)).toEqual([ 'card-1', 'card-2' ]);
    expect((await source.list(other)).map(({ id }): string => id)).toEqual([ 'card-3' ]);
    await expect(source.list('72091999312')).resolves.toEqual([]);
  });

  it('leaves out the citizen, and reads paths in the context as paths of the server.', async(): Promise<void> => {
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

  it('keeps a signed credential as it is.', async(): Promise<void> => {
    const credential = { '@context': [ '/v1/x' ], proof: { '@context': '/v1/y' }};
    await write('a.json', { credentialSubject: undefined, credential });
    const [ found ] = await source.list(citizen);
    expect(found.credential).toEqual(credential);
    expect(found.credentialSubject).toBeUndefined();
  });

  it('sees a changed, new and removed file at once.', async(): Promise<void> => {
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

  it('keeps the version of a file that was only written again.', async(): Promise<void> => {
    await write('a.json');
    const before = await source.list(citizen);
    await write('a.json');
    await expect(source.list(citizen)).resolves.toEqual(before);
  });

  it('verifies a record that is still there in its version.', async(): Promise<void> => {
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
    [ 'a version that is no text', { version: 7 }],
    [ 'neither subject nor credential', { credentialSubject: undefined }],
    [ 'both subject and credential', { credential: {}}],
    [ 'a subject that is a list', { credentialSubject: []}],
    [ 'an unknown member', { colour: 'red' }],
  ])('fails for the citizen of a file with %s, naming the file.', async(_name, changes): Promise<void> => {
    await write('a.json', changes);
    await write('b.json', { id: 'card-2', citizen: other });
    await expect(source.list(citizen)).rejects.toThrow(SourceFailure);
    await expect(source.list(citizen)).rejects.toThrow(join(folder, 'a.json'));
    await expect(source.list(other)).resolves.toHaveLength(1);
  });

  it.each([ '{', '[]', '{"citizen": "12"}', '{"citizen": 90051212384}' ])(
    'fails for everybody with a file that does not say whose it is: %s.',
    async(text): Promise<void> => {
      await writeFile(join(folder, 'a.json'), text);
      await expect(source.list(citizen)).rejects.toThrow(join(folder, 'a.json'));
      await expect(source.list(other)).rejects.toThrow(SourceFailure);
    },
  );

  it('has no national number in its failures.', async(): Promise<void> => {
    await write('a.json', { id: undefined });
    await expect(source.list(citizen)).rejects.toThrow(
      expect.objectContaining({ message: expect.not.stringMatching(/90\D*05\D*12|12384/u) }),
    );
  });

  it('fails when two records have one id.', async(): Promise<void> => {
    await write('a.json');
    await write('b.json', { citizen: other });
    await expect(source.list(citizen)).rejects.toThrow(SourceFailure);
    await expect(source.verify({ id: 'card-1', version: '7' })).rejects.toThrow(SourceFailure);
  });

  it('fails when there is no folder.', async(): Promise<void> => {
    const absent = new FilesSource(dataType, join(folder, 'absent'), []);
    await expect(absent.list(citizen)).rejects.toThrow(SourceFailure);
  });

  it('trusts the issuers given and those of its source.json, which is no record.', async(): Promise<void> => {
    await writeFile(join(folder, 'source.json'), '{"trustedIssuers":["https://school.example/issuer"]}');
    const trusting = await FilesSource.open(dataType, folder, [ 'https://other.example/' ]);
    expect(trusting.trustedIssuers).toEqual([ 'https://other.example/', 'https://school.example/issuer' ]);
    await expect(trusting.list(citizen)).resolves.toEqual([]);
  });

  it.each([ '{', '[]', '{"trustedIssuers":"https://school.example/"}', '{"trustedIssuer":[]}' ])(
    'refuses a source.json that is %s, naming it.',
    async(text): Promise<void> => {
      await writeFile(join(folder, 'source.json'), text);
      await expect(FilesSource.open(dataType, folder)).rejects.toThrow(join(folder, 'source.json'));
    },
  );
});
