import { chmod, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { verify } from 'node:crypto';
import { base58 } from '@scure/base';
import { TestSigner } from '../../support/TestSigner';
import { RecordsSnapshot } from '../../../src/storage/copies/RecordsSnapshot';
import { parseWebId } from '../../../src/platform/webId';
import { citizenNumber, emptyPlaces, emptySqlitePlace, nationalNumber, now } from './places';
import type { Place } from './places';

async function mode(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

async function failureOf(attempt: Promise<unknown>): Promise<Error> {
  try {
    await attempt;
  } catch (error: unknown) {
    return error as Error;
  }
  throw new Error('It succeeded');
}

describe.each(emptyPlaces)('Opening the records, on %s', (_engine, makePlace): void => {
  let place: Place;

  beforeEach(async(): Promise<void> => {
    place = await makePlace();
  });

  afterEach(async(): Promise<void> => place.remove());

  async function keyFile(start: string): Promise<string> {
    return join(place.keys, (await readdir(place.keys)).find((file): boolean => file.startsWith(start))!);
  }

  it('creates the keys if the records are new, for their owner only.', async(): Promise<void> => {
    const { keys } = await place.open();
    const files = await readdir(place.keys);
    expect(files.map((file): string => file.replace(/-[\da-f-]{36}/u, '-{id}')).sort())
      .toEqual([ 'blind-index.key', 'credentials-{id}.jwk', 'encryption.key', 'grants-{id}.jwk' ]);
    await expect(mode(place.keys)).resolves.toBe('700');
    await expect(Promise.all(files.map(async(file): Promise<string> => mode(join(place.keys, file)))))
      .resolves.toEqual([ '600', '600', '600', '600' ]);
    expect(keys.getSecret('blind-index')).toHaveLength(32);
    expect(keys.getSecret('encryption').equals(keys.getSecret('blind-index'))).toBe(false);
  });

  it('gives working signing keys, separate for each purpose.', async(): Promise<void> => {
    const { keys } = await place.open();
    const [ key, ...others ] = keys.getSigningKeys('grants');
    expect(others).toEqual([]);
    const signature = await key.sign(Buffer.from('text'));
    expect(verify(null, Buffer.from('text'), key.publicKey, signature)).toBe(true);
    expect(key).toMatchObject({ createdAt: now });
    expect(key.publicKeyMultibase).toMatch(/^z6Mk/u);
    const multikey = Buffer.from(base58.decode(key.publicKeyMultibase.slice(1)));
    expect(multikey.subarray(2).toString('base64url')).toBe(key.publicKey.export({ format: 'jwk' }).x);
    await expect(keyFile(`grants-${key.id}.jwk`)).resolves.toBeDefined();
    expect(keys.getSigningKeys('credentials')[0].publicKeyMultibase).not.toBe(key.publicKeyMultibase);
  });

  it('keeps no signing key in a file if a signer has them.', async(): Promise<void> => {
    const signer = new TestSigner();
    const { keys, rotation } = await place.open({ signer });
    expect((await readdir(place.keys)).sort()).toEqual([ 'blind-index.key', 'encryption.key' ]);
    expect(keys.getSigningKeys('grants').map(({ id }): string => id)).toEqual([ 'grants-key' ]);
    expect(keys.getTokenKeys().map(({ id }): string => id)).toEqual([ 'tokens-key' ]);
    await expect(keys.getSigningKeys('credentials')[0].sign(Buffer.from('text'))).resolves.toHaveLength(64);
    await expect(rotation.list()).resolves.toHaveLength(2);
    // Commands need no signer.
    const { keys: without } = await place.open();
    expect(without.getSigningKeys('grants')).toEqual([]);
  });

  it('verifies with the keys in files after a signer has taken over.', async(): Promise<void> => {
    const [ old ] = (await place.open()).keys.getSigningKeys('grants');
    const { keys, rotation } = await place.open({ signer: new TestSigner() });
    expect(keys.getSigningKeys('grants').map(({ id }): string => id)).toEqual([ 'grants-key', old.id ]);
    expect((await rotation.list()).find(({ kind }): boolean => kind === 'grants')).toMatchObject({ inUse: []});
  });

  it('finds records and keys again.', async(): Promise<void> => {
    const first = await place.open();
    await first.records.citizens.insertOrGet({
      id: 'a',
      webId: parseWebId('https://w.example/'),
      podUrl: 'p',
      nationalNumber: citizenNumber(1),
      createdAt: now,
    });
    await first.close();
    const second = await place.open();
    expect((await second.records.citizens.getNationalNumber('a')).reveal()).toBe(nationalNumber(1));
    expect(second.keys.getSigningKeys('grants')[0].id).toBe(first.keys.getSigningKeys('grants')[0].id);
  });

  it('creates one set of keys when two processes start at once.', async(): Promise<void> => {
    const [ one, two ] = await Promise.all([ place.open(), place.open() ]);
    expect(one.keys.getSecret('encryption').equals(two.keys.getSecret('encryption'))).toBe(true);
    await expect(readdir(place.keys)).resolves.toHaveLength(4);
    await expect(two.records.audit.verify()).resolves.toEqual([]);
  });

  it('adopts existing keys if the records are new.', async(): Promise<void> => {
    const secret = Buffer.alloc(32, 7);
    const opened = await (await makePlace()).open({ keys: place.keys });
    await opened.close();
    await writeFile(join(place.keys, 'encryption.key'), secret.toString('base64url'));
    const { keys } = await place.open();
    expect(keys.getSecret('encryption').equals(secret)).toBe(true);
    expect(keys.getSigningKeys('grants')[0].id).toBe(opened.keys.getSigningKeys('grants')[0].id);
  });

  const starts = [ 'blind-index', 'encryption', 'grants', 'credentials' ];

  it.each(starts)('is refused without the %s key.', async(start): Promise<void> => {
    await (await place.open()).close();
    const file = await keyFile(start);
    await rm(file);
    await expect(place.open()).rejects.toThrow(`--keys: ${file} is missing`);
    await expect(readdir(place.keys)).resolves.toHaveLength(3);
  });

  it('is refused without the folder of the keys.', async(): Promise<void> => {
    await (await place.open()).close();
    await rename(place.keys, `${place.keys}-elsewhere`);
    await expect(place.open()).rejects.toThrow(`--keys: cannot read the folder ${place.keys}`);
  });

  it('is refused with another key, without revealing it.', async(): Promise<void> => {
    await (await place.open()).close();
    const file = join(place.keys, 'encryption.key');
    const other = Buffer.alloc(32, 7).toString('base64url');
    await writeFile(file, other);
    const failure = await failureOf(place.open());
    expect(failure.message).toBe(`--keys: ${file} is not the key of these records`);
    expect(failure.message).not.toContain(other);
  });

  it.each([ 'encryption', 'grants' ])('is refused with a malformed %s key.', async(start): Promise<void> => {
    await (await place.open()).close();
    const file = await keyFile(start);
    await writeFile(file, '{"kty":"OKP"}');
    await expect(place.open()).rejects.toThrow(`--keys: ${file} is not`);
  });

  it('is refused with a key that others can read.', async(): Promise<void> => {
    await (await place.open()).close();
    const file = await keyFile('credentials');
    await chmod(file, 0o640);
    await expect(place.open()).rejects.toThrow(`--keys: ${file} can be read or written by others`);
  });

  it('ignores a key put beside the others, until it is put to use.', async(): Promise<void> => {
    const first = await place.open();
    const [ old ] = first.keys.getSigningKeys('grants');
    const file = await first.keyFiles.make('grants');
    const second = await place.open();
    expect(second.keys.getSigningKeys('grants').map(({ id }): string => id)).toEqual([ old.id ]);

    await second.rotation.rotate('grants', file, 'ops');
    expect((await place.open()).keys.getSigningKeys('grants')).toHaveLength(2);
    await rm(join(place.keys, file));
    await expect(place.open()).rejects.toThrow('is missing');
  });

  it('stores fingerprints that reveal nothing of the keys.', async(): Promise<void> => {
    await place.open();
    const rows = JSON.stringify(await place.sql('select * from key_fingerprints'));
    const secret = (await readFile(join(place.keys, 'encryption.key'), 'utf8')).trim();
    expect(rows).not.toContain(secret);
    expect(rows).not.toContain(Buffer.from(secret, 'base64url').toString('hex'));
  });

  it('is refused if the records were written by a later version.', async(): Promise<void> => {
    await (await place.open()).close();
    await place.sql('insert into migrations values (\'2999-01-01-later\', 0)');
    await expect(place.open())
      .rejects.toThrow('--records: these records were written by a later version (2999-01-01-later)');
  });

  it('is refused on a server that cannot be reached, without revealing its password.', async(): Promise<void> => {
    const failure = await failureOf(place.open({ records: 'postgres://me:secret@127.0.0.1:1/records' }));
    expect(failure.message).toMatch(/^--records: cannot reach the PostgreSQL server/u);
    expect(failure.message).not.toContain('secret');
  });
});

describe('Opening an SQLite file', (): void => {
  let place: Place;

  beforeEach(async(): Promise<void> => {
    place = await emptySqlitePlace();
  });

  afterEach(async(): Promise<void> => place.remove());

  it('creates a file for its owner only.', async(): Promise<void> => {
    const { records } = await place.open();
    await records.contractUses.recordFirstUse('c', 'd', now);
    const folder = dirname(place.records);
    await expect(mode(folder)).resolves.toBe('700');
    for (const file of await readdir(folder)) {
      await expect(mode(join(folder, file))).resolves.toBe('600');
    }
  });

  it('is refused on a file that is not a database.', async(): Promise<void> => {
    await (await place.open()).close();
    await writeFile(place.records, 'This is not a database, but some text that somebody wrote into a file.');
    await expect(place.open()).rejects.toThrow(`--records: cannot open the SQLite file ${place.records}`);
  });

  it('is refused beside the log of other records, as after a restore of the file alone.', async(): Promise<void> => {
    const { close, records } = await place.open();
    await records.contractUses.recordFirstUse('before', 'd', now);
    await close();
    const snapshot = await RecordsSnapshot.open(place.records);
    const backup = `${place.records}-backup`;
    await snapshot.copyTo(backup);
    snapshot.close();
    const crashed = await place.open();
    await crashed.records.contractUses.recordFirstUse('after', 'd', now);
    // As a killed process leaves it.
    const log = await readFile(`${place.records}-wal`);
    await crashed.close();
    await rename(backup, place.records);
    await writeFile(`${place.records}-wal`, log);
    await expect(place.open()).rejects.toThrow(`${place.records}-wal belongs to other records`);
    await rm(`${place.records}-wal`);
    const restored = await place.open();
    await expect(restored.records.contractUses.list()).resolves.toEqual(new Map([[ 'before', 'd' ]]));
  });

  it('for a server is refused while another server has it open; commands are not refused.', async(): Promise<void> => {
    const first = await place.open({ held: true });
    await expect(place.open({ held: true })).rejects.toThrow(`--records: another server uses ${place.records}`);
    await (await place.open()).close();
    await expect(place.open({ held: true })).rejects.toThrow('another server');
    await first.close();
    await (await place.open({ held: true })).close();
    for (const file of await readdir(dirname(place.records))) {
      await expect(mode(join(dirname(place.records), file))).resolves.toBe('600');
    }
  });
});
