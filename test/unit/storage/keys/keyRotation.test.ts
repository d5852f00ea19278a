import { existsSync } from 'node:fs';
import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SigningPurpose } from '../../../../src/credentials/KeyStore';
import { makePrivateJwk } from '../../../../src/platform/makePrivateJwk';
import { isOutage } from '../../../../src/platform/outage';
import type { KeyKind } from '../../../../src/storage/keys/FileKeyStore';
import type { KeyState } from '../../../../src/storage/keys/KeyRotation';
import { RecordedKeys } from '../../../../src/storage/keys/RecordedKeys';
import type { OpenRecords } from '../../../../src/storage/openRecords';
import { parseWebId } from '../../../../src/platform/webId';
import {
  appendRows,
  atOnce,
  citizenNumber,
  later,
  logged,
  nationalNumber,
  now,
  places,
} from '../places';
import type { Place } from '../places';

/** A valid number of nobody. */
const otherSigningKey = JSON.stringify({
  ...makePrivateJwk('Ed25519'),
  created: now.toISOString(),
});

describe.each(places)('While others serve, on %s, rotating', (_engine, makePlace): void => {
  let place: Place;
  let serving: OpenRecords;
  let operator: OpenRecords;
  let time: Date;

  beforeEach(async(): Promise<void> => {
    time = now;
    place = await makePlace();
    serving = await place.open({ clock: (): Date => time });
    operator = await place.open({ clock: (): Date => time });
    for (let index = 0; index < 3; index += 1) {
      await insert(serving, index);
      await appendRows(serving.records, 1, `c${index}`);
    }
  });

  afterEach(async(): Promise<void> => place.remove());

  async function insert({ records }: OpenRecords, index: number, id = `c${index}`): Promise<string> {
    const { citizen } = await records.citizens.insertOrGet({
      id,
      webId: parseWebId(`https://pod.example/${id}/profile/card#me`),
      podUrl: `https://pod.example/${id}/`,
      nationalNumber: citizenNumber(index),
      createdAt: now,
    });
    return citizen.id;
  }

  /** Everything that depends on the secrets, as one process sees it. */
  async function expectAllWell({ records }: OpenRecords, count = 3): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      expect((await records.citizens.findByNationalNumber(citizenNumber(index)))?.id).toBe(`c${index}`);
      expect((await records.citizens.getNationalNumber(`c${index}`)).reveal()).toBe(nationalNumber(index));
    }
    await expect(records.audit.verify()).resolves.toEqual([]);
    const [{ event }] = await records.audit.list(0, 1);
    expect(event.personal?.webId).toBe('https://pod.example/c0/profile/card#me');
  }

  function signingFiles(purpose: SigningPurpose): string[] {
    return serving.keys.getSigningKeys(purpose).map(({ id }): string => `${purpose}-${id}.jwk`);
  }

  async function stored(): Promise<string[]> {
    const rows = await place.sql('select number_index, number_sealed from citizens order by id');
    return rows.map((row): string => JSON.stringify(row));
  }

  describe.each<KeyKind>([ 'blind-index', 'encryption' ])('%s', (kind): void => {
    it('is noticed at once, before and after rows are rewritten.', async(): Promise<void> => {
      const before = await stored();
      const file = await operator.rotation.rotate(kind, undefined, 'ops');
      expect(file).toMatch(new RegExp(`^${kind}-[\\da-f-]{36}\\.key$`, 'u'));
      await expectAllWell(serving);
      await expect(insert(serving, 3)).resolves.toBe('c3');
      await expect(insert(serving, 0, 'twice')).resolves.toBe('c0');
      await expect(operator.rewriting.rewrite()).resolves.toBeGreaterThanOrEqual(3);
      expect((await stored()).filter((row): boolean => before.includes(row))).toEqual([]);
      await expect(operator.rewriting.rewrite()).resolves.toBe(0);
      await expectAllWell(serving, 4);
      await expectAllWell(operator, 4);
      await expectAllWell(await place.open(), 4);
    });

    it('is noticed by a process that has not written since.', async(): Promise<void> => {
      await operator.rotation.rotate(kind, undefined, 'ops');
      await operator.rewriting.rewrite();
      await expectAllWell(serving);
    });

    it('is what others write under, even if they have not noticed it yet.', async(): Promise<void> => {
      const others = [ await place.open(), await place.open(), await place.open() ];
      await operator.rotation.rotate(kind, undefined, 'ops');
      await operator.rewriting.rewrite();
      await insert(others[0], 3);
      await others[1].records.citizens.setNationalNumber('c1', citizenNumber(1));
      await appendRows(others[2].records, 1, 'somebody');
      await expect(operator.rewriting.rewrite()).resolves.toBe(0);
      await expectAllWell(operator);
    });

    it('creates no citizen twice, however many are created meanwhile.', async(): Promise<void> => {
      const other = await place.open();
      const inserting = atOnce(30, async(index): Promise<string> =>
        insert(index % 2 ? serving : other, 10 + index % 10, `n${index}`));
      await operator.rotation.rotate(kind, undefined, 'ops');
      await operator.rewriting.rewrite();
      const ids = await inserting;
      expect(new Set(ids).size).toBe(10);
      const { length } = await stored();
      expect(length).toBe(13);
      await operator.rewriting.rewrite();
      for (const [ index, id ] of ids.entries()) {
        expect((await other.records.citizens.findByNationalNumber(citizenNumber(10 + index % 10)))?.id).toBe(id);
      }
    });

    it('twice, and retires the first.', async(): Promise<void> => {
      await operator.rotation.rotate(kind, undefined, 'ops');
      await expect(operator.rotation.retire('grants-x.jwk', 'ops')).rejects.toThrow('no such key');
      time = later(25 * 3600);
      const derived = serving.keys.getSecret('tokens');
      await operator.rotation.retire(`${kind}.key`, 'ops');
      await serving.keys.refresh();
      expect(serving.keys.getSecret('tokens').equals(derived)).toBe(kind !== 'encryption');
      await rm(join(place.keys, `${kind}.key`));
      await expectAllWell(serving);
      await expectAllWell(await place.open());
      const file = await operator.rotation.rotate(kind, undefined, 'ops');
      await expect(operator.rotation.retire(file, 'ops')).rejects.toThrow('is in use');
      const types = (await serving.records.audit.list(3, 9)).map(({ event: { type }}): string => type);
      expect(types).toEqual([ 'key.rotated', 'key.retired', 'key.rotated' ]);
    });

    it('back to an earlier one while that is retired loses no key.', async(): Promise<void> => {
      const first = `${kind}.key`;
      await operator.rotation.rotate(kind, undefined, 'ops');
      time = later(25 * 3600);
      const rewrite = operator.rewriting.rewrite.bind(operator.rewriting);
      jest.spyOn(operator.rewriting, 'rewrite').mockImplementationOnce(async(): Promise<number> => {
        const rows = await rewrite();
        await serving.rotation.rotate(kind, first, 'ops');
        await insert(serving, 3);
        time = later(60 * 3600);
        return rows;
      });
      await expect(operator.rotation.retire(first, 'ops')).rejects.toThrow('rotated meanwhile');
      await expectAllWell(await place.open(), 4);
    });

    it('to one that is retired meanwhile is refused.', async(): Promise<void> => {
      const first = `${kind}.key`;
      await operator.rotation.rotate(kind, undefined, 'ops');
      time = later(25 * 3600);
      const refresh = operator.keys.refresh.bind(operator.keys);
      jest.spyOn(operator.keys, 'refresh').mockImplementationOnce(async(): Promise<boolean> => {
        await serving.rotation.retire(first, 'ops');
        return refresh();
      });
      await expect(operator.rotation.rotate(kind, first, 'ops')).rejects.toThrow('retired meanwhile');
      await expectAllWell(await place.open());
    });

    it('works with a file that was created and copied before.', async(): Promise<void> => {
      const file = await operator.keyFiles.make(kind);
      const copy = join(place.keys, 'copy');
      await rename(join(place.keys, file), copy);
      await expect(operator.rotation.rotate(kind, file, 'ops')).rejects.toThrow(`There is no file ${file}`);
      await rename(copy, join(place.keys, file));
      // A waiting file is not in use after a start, either.
      expect((await place.open()).keys.getSecrets(kind as 'encryption')).toHaveLength(1);
      await expect(operator.rotation.rotate(kind, file, 'ops')).resolves.toBe(file);
      await expect(operator.rotation.rotate(kind, '../../etc/passwd', 'ops')).rejects.toThrow('is not a name');
      await expectAllWell(serving);
    });
  });

  describe.each<KeyKind>([ 'blind-index', 'encryption', 'grants', 'credentials' ])('%s elsewhere', (kind): void => {
    it.each<[ string, (path: string) => Promise<unknown> ]>([
      [ 'is missing', async(path): Promise<unknown> => rm(path) ],
      [ 'is another one', async(path): Promise<unknown> =>
        writeFile(path, kind.startsWith('blind') || kind === 'encryption' ? 'A'.repeat(43) : otherSigningKey) ],
      [ 'is cut short', async(path): Promise<unknown> => writeFile(path, 'A') ],
      [ 'can be read by others', async(path): Promise<unknown> => chmod(path, 0o644) ],
    ])('is an outage while the key %s here, and recovers by itself.', async(_, damage): Promise<void> => {
      const file = join(place.keys, await operator.rotation.rotate(kind, undefined, 'ops'));
      await operator.rewriting.rewrite();
      const key = await readFile(file);
      logged.length = 0;
      await damage(file);
      for (let times = 0; times < 3; times += 1) {
        const error: unknown = await serving.keys.refresh().catch((thrown: unknown): unknown => thrown);
        expect(isOutage(error)).toBe(true);
        expect(serving.keys.lacksKeys).toBe(true);
      }
      expect(logged).toEqual([ expect.stringMatching(/^--keys: .*503/u) ]);
      await rm(file, { force: true });
      await writeFile(file, key, { mode: 0o600 });
      await expect(serving.keys.refresh()).resolves.toBe(true);
      expect(serving.keys.lacksKeys).toBe(false);
      await expectAllWell(serving);
      expect(logged.slice(1).filter((line): boolean => line.startsWith('--keys'))).toEqual([
        '--keys: all keys in use can be read again',
      ]);
    });
  });

  it.each<KeyKind>([ 'blind-index', 'encryption' ])('%s elsewhere fails what needs it as an outage.', async(kind):
  Promise<void> => {
    const file = await operator.rotation.rotate(kind, undefined, 'ops');
    await operator.rewriting.rewrite();
    await rename(join(place.keys, file), join(place.keys, 'away'));
    const { citizens } = serving.records;
    const failing = [
      insert(serving, 7),
      appendRows(serving.records, 1, 'c0'),
      kind === 'encryption' ? citizens.getNationalNumber('c0') : citizens.findByNationalNumber(citizenNumber(0)),
    ];
    for (const outcome of await Promise.allSettled<unknown>(failing)) {
      expect(outcome.status === 'rejected' && isOutage(outcome.reason)).toBe(true);
    }
    await rename(join(place.keys, 'away'), join(place.keys, file));
    await expectAllWell(serving);
  });

  it('is noticed even if an earlier look at the keys takes longer.', async(): Promise<void> => {
    const file = await operator.keyFiles.make('encryption');
    await operator.keyFiles.add('encryption', file);
    const read = RecordedKeys.open.bind(RecordedKeys);
    const opening = jest.spyOn(RecordedKeys, 'open').mockImplementationOnce(async(...input): Promise<RecordedKeys> => {
      const recorded = await read(...input);
      await operator.rotation.rotate('encryption', file, 'ops');
      await insert(serving, 3);
      return recorded;
    });
    await expect(serving.keys.refresh()).resolves.toBe(true);
    opening.mockRestore();
    expect(serving.keys.getSecret('encryption').equals(operator.keys.getSecret('encryption'))).toBe(true);
    await expectAllWell(serving, 4);
  });

  it('needs the fingerprints of all keys, and makes none in place of them.', async(): Promise<void> => {
    await place.sql('delete from key_fingerprints');
    await expect(serving.keys.refresh()).rejects.toThrow('have no fingerprint of the key in use');
    await rm(join(place.keys, 'encryption.key'));
    await expect(serving.keys.refresh()).rejects.toThrow('have no fingerprint of the key in use');
    expect(existsSync(join(place.keys, 'encryption.key'))).toBe(false);
  });

  it('leaves nothing encrypted with the old secret, however many rows there are.', async(): Promise<void> => {
    await serving.records.transaction(async({ citizens }): Promise<void> => {
      for (let index = 3; index < 205; index += 1) {
        await insert({ records: { citizens }} as unknown as OpenRecords, index);
      }
    });
    await operator.rotation.rotate('encryption', undefined, 'ops');
    await operator.rotation.retire('encryption.key', 'ops');
    await expectAllWell(await place.open(), 205);
  });

  it('the blind index keeps the count of wrong business keys, for a day.', async(): Promise<void> => {
    const { guesses } = serving.records;
    await guesses.record('w', 'c', citizenNumber(8), time, later(-86_400));
    await operator.rotation.rotate('blind-index', undefined, 'ops');
    await expect(guesses.record('w', 'c', citizenNumber(9), time, later(-86_400)))
      .resolves.toMatchObject({ byAll: 2 });
    await expect(guesses.count('w', 'c', later(-86_400))).resolves.toMatchObject({ byAll: 2 });
    const others = [ await place.open(), await place.open() ];
    await operator.rotation.rotate('blind-index', undefined, 'ops');
    await operator.records.guesses.record('w', 'c', citizenNumber(10), time, later(-86_400));
    await expect(others[0].records.guesses.count('w', 'c', later(-86_400))).resolves.toMatchObject({ byAll: 3 });
    await expect(others[1].records.guesses.record('w', 'c', citizenNumber(10), time, later(-86_400)))
      .resolves.toMatchObject({ byAll: 3 });
    await expect(operator.rotation.retire('blind-index.key', 'ops')).rejects
      .toThrow('can be retired from 2026-11-22T12');
  });

  it('the blind index leaves the audit record intact, even if killed before recording it.', async():
  Promise<void> => {
    const [{ hash, mac }] = await place.sql('select hash, mac from audit_head');
    await operator.rotation.rotate('blind-index', undefined, 'ops');
    await place.sql('delete from audit_rows where sequence = 4');
    await place.sql(`update audit_head set sequence = 3, hash = '${String(hash)}', mac = '${String(mac)}'`);
    await expectAllWell(operator);
  });

  it('keeps the secret of short-lived tokens until they have expired.', async(): Promise<void> => {
    const before = serving.keys.getSecret('tokens');
    await operator.rotation.rotate('encryption', undefined, 'ops');
    await serving.keys.refresh();
    expect(serving.keys.getSecret('tokens').equals(before)).toBe(true);
    expect(serving.keys.getSecret('encryption').equals(before)).toBe(false);
    await operator.rotation.retire('encryption.key', 'ops');
    await serving.keys.refresh();
    expect(serving.keys.getSecret('tokens').equals(serving.keys.getSecret('encryption'))).toBe(true);
  });

  it.each([ 'grants', 'credentials' ] as const)('the key of %s publishes it first.', async(purpose): Promise<void> => {
    const [ old ] = serving.keys.getSigningKeys(purpose);
    const file = await operator.rotation.rotate(purpose, undefined, 'ops');
    await expect(serving.keys.refresh()).resolves.toBe(true);
    await expect(serving.keys.refresh()).resolves.toBe(false);
    expect(signingFiles(purpose)).toEqual([ `${purpose}-${old.id}.jwk`, file ]);
    await expect(operator.rotation.list()).resolves.toContainEqual(expect.objectContaining({ file, inUse: []}));
    time = later(121);
    expect(signingFiles(purpose)).toEqual([ file, `${purpose}-${old.id}.jwk` ]);
    await expect(operator.rotation.retire(`${purpose}-${old.id}.jwk`, 'ops')).rejects.toThrow('cannot be retired');
    await expect(operator.rotation.rotate(purpose, file, 'ops')).rejects.toThrow('published');
  });

  it('encryption keeps the server\'s secrets readable for others, even without the old key.', async():
  Promise<void> => {
    const seals = await serving.serverSecrets.valueSeals();
    const signing = await serving.serverSecrets.get('signing', async(): Promise<Buffer> => Buffer.from('first'));
    const rows = JSON.stringify(await place.sql('select sealed from server_secrets order by id'));
    expect(rows).not.toContain('first');
    await operator.rotation.rotate('encryption', undefined, 'ops');
    await operator.rewriting.rewrite();
    expect(JSON.stringify(await place.sql('select sealed from server_secrets order by id'))).not.toBe(rows);
    await operator.rotation.retire('encryption.key', 'ops');
    await rm(join(place.keys, 'encryption.key'));
    const { serverSecrets } = await place.open();
    await expect(serverSecrets.get('signing', never)).resolves.toEqual(signing);
    expect((await serverSecrets.valueSeals()).nameOf('/a/', 'b')).toBe(seals.nameOf('/a/', 'b'));
  });

  it('the keys of the identity provider publishes new ones, uses them later, and drops old ones a day after.', async():
  Promise<void> => {
    const { serverSecrets } = serving;
    await expect(operator.secretRotation.rotateProvider('ops')).rejects.toThrow('start the server once');
    const first = await serverSecrets.get('signing', async(): Promise<Buffer> => Buffer.from('first'));
    await serverSecrets.get('cookies', async(): Promise<Buffer> => Buffer.from('cookie'));
    await expect(operator.secretRotation.rotateProvider('ops')).rejects.toThrow('start the server once');
    await serverSecrets.get('signing-rs256', async(): Promise<Buffer> => Buffer.from('chosen'));
    await serverSecrets.refresh();
    await expect(serverSecrets.refresh()).resolves.toBe(false);
    await operator.secretRotation.rotateProvider('ops');
    await expect(serverSecrets.refresh()).resolves.toBe(true);
    const published = await serverSecrets.get('signing', never);
    expect([ published.length, published[0] ]).toEqual([ 2, first[0] ]);
    time = later(121);
    await expect(serverSecrets.refresh()).resolves.toBe(true);
    const [ second, ...earlier ] = await serverSecrets.get('signing', never);
    expect(JSON.parse(second.toString())).toMatchObject({ kty: 'EC', crv: 'P-256', alg: 'ES256' });
    expect(earlier).toEqual(first);
    const [ chosen ] = await serverSecrets.get('signing-rs256', never);
    expect(JSON.parse(chosen.toString())).toMatchObject({ kty: 'RSA', alg: 'RS256' });
    time = later(26 * 3600);
    await operator.secretRotation.rotateProvider('ops');
    await serverSecrets.refresh();
    const kept = await serverSecrets.get('signing', never);
    expect([ kept.length, kept[0] ]).toEqual([ 2, second ]);
    await expect(serverSecrets.get('cookies', never)).resolves.toHaveLength(2);
  });

  it.each([ 'blind-index', 'encryption', 'grants' ] as const)('%s changes nothing without an audit row.', async(kind):
  Promise<void> => {
    async function listUsed(): Promise<KeyState[]> {
      // A file that records know only for reading changes nothing.
      return (await operator.rotation.list()).filter((key): boolean => key.kind === 'grants' || key.inUse.length > 0);
    }
    await operator.rotation.rotate(kind, undefined, 'ops');
    time = later(25 * 3600);
    const before = await listUsed();
    await place.sql('update audit_head set id = 2');
    await expect(operator.rotation.rotate(kind, undefined, 'ops')).rejects.toThrow('audit chain is missing');
    await expect(operator.rotation.retire(`${kind}.key`, 'ops')).rejects.toThrow(/chain is missing|no such key/u);
    await place.sql('update audit_head set id = 1');
    await expect(listUsed()).resolves.toEqual(before);
  });

  it('lists keys without secrets.', async(): Promise<void> => {
    const file = await operator.rotation.rotate('encryption', undefined, 'ops');
    const keys = await operator.rotation.list();
    expect(keys).toHaveLength(5);
    expect(keys).toContainEqual({ file, kind: 'encryption', inUse: [ 'encryption' ], addedAt: now });
    expect(keys).toContainEqual({ file: 'encryption.key', kind: 'encryption', inUse: [ 'tokens' ], addedAt: now });
    expect(JSON.stringify(keys)).not.toContain(serving.keys.getSecret('encryption').toString('base64url'));
  });
});

async function never(): Promise<never> {
  throw new Error('There is one already');
}
