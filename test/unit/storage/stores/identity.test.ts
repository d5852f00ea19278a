import type { NewCitizen } from '../../../../src/identity/CitizenStore';
import type { Records } from '../../../../src/platform/Records';
import type { Stores } from '../../../../src/storage/Stores';
import { parseWebId } from '../../../../src/platform/webId';
import { atOnce, citizenNumber, later, nationalNumber, now, places } from '../places';
import type { Place } from '../places';

function newCitizen(id: string, index = 0): NewCitizen {
  return {
    id,
    webId: parseWebId(`https://pod.example/${id}/profile/card#me`),
    podUrl: `https://pod.example/${id}/`,
    nationalNumber: citizenNumber(index),
    createdAt: now,
  };
}

describe.each(places)('The stores of identity, on %s', (_engine, makePlace): void => {
  let place: Place;
  let records: Records<Stores>;

  beforeEach(async(): Promise<void> => {
    place = await makePlace();
    ({ records } = await place.open());
  });

  afterEach(async(): Promise<void> => place.remove());

  it('records a citizen in state CREATING, and finds it by number, WebID and id.', async(): Promise<void> => {
    const { citizen, inserted } = await records.citizens.insertOrGet(newCitizen('a'));
    expect(inserted).toBe(true);
    expect(citizen).toEqual({
      id: 'a',
      webId: 'https://pod.example/a/profile/card#me',
      podUrl: 'https://pod.example/a/',
      state: 'CREATING',
      createdAt: now,
    });
    await expect(records.citizens.findByNationalNumber(citizenNumber(0))).resolves.toEqual(citizen);
    await expect(records.citizens.findByWebId(citizen.webId)).resolves.toEqual(citizen);
    await expect(records.citizens.findById('a')).resolves.toEqual(citizen);
    await expect(records.citizens.findByNationalNumber(citizenNumber(1))).resolves.toBeUndefined();
    expect((await records.citizens.getNationalNumber('a')).reveal()).toBe(nationalNumber(0));
  });

  it('records one citizen when many ask for the same number at once.', async(): Promise<void> => {
    const other = await place.open();
    const answers = await atOnce(50, async(index): ReturnType<Stores['citizens']['insertOrGet']> =>
      (index % 2 ? records : other.records).citizens.insertOrGet(newCitizen(`id${index}`)));
    expect(answers.filter(({ inserted }): boolean => inserted)).toHaveLength(1);
    expect(new Set(answers.map(({ citizen }): string => citizen.id)).size).toBe(1);
  });

  it('stores no national number in clear.', async(): Promise<void> => {
    await records.citizens.insertOrGet(newCitizen('a'));
    const rows = JSON.stringify(await place.sql('select * from citizens'));
    expect(rows).not.toContain(nationalNumber(0));
    expect(rows).not.toContain(Buffer.from(nationalNumber(0)).toString('base64url'));
  });

  it('does not mistake a citizen for another whose row has the index of the number.', async(): Promise<void> => {
    await records.citizens.insertOrGet(newCitizen('a', 1));
    await records.citizens.insertOrGet(newCitizen('b', 2));
    const [ one, other ] = await place.sql('select * from citizens order by id') as { number_index: string }[];
    await place.sql(`update citizens set number_index = 'x' where id = 'a'`);
    await place.sql(`update citizens set number_index = '${one.number_index}' where id = 'b'`);
    await place.sql(`update citizens set number_index = '${other.number_index}' where id = 'a'`);
    const refused = 'does not belong to its row';
    await expect(records.citizens.findByNationalNumber(citizenNumber(1))).rejects.toThrow(refused);
    await expect(records.citizens.insertOrGet(newCitizen('c', 2))).rejects.toThrow(refused);
    await expect(records.audit.verify()).resolves.toEqual(Array.from({ length: 2 }, (): object =>
      ({ sequence: 0, problem: 'the national number of a citizen leads to somebody else' })));
  });

  it('refuses a number that was copied from another row.', async(): Promise<void> => {
    await records.citizens.insertOrGet(newCitizen('a', 1));
    await records.citizens.insertOrGet(newCitizen('b', 2));
    const sealed = '(select number_sealed from citizens where id = \'a\')';
    await place.sql(`update citizens set number_sealed = ${sealed} where id = 'b'`);
    await expect(records.citizens.getNationalNumber('b')).rejects.toThrow(/unable to authenticate/u);
  });

  it('returns no number of an unknown citizen.', async(): Promise<void> => {
    await expect(records.citizens.getNationalNumber('a')).rejects.toMatchObject({ type: 'webid-not-found' });
  });

  it('stores account and state, and lists by state.', async(): Promise<void> => {
    await records.citizens.insertOrGet(newCitizen('a', 1));
    await records.citizens.insertOrGet(newCitizen('b', 2));
    await expect(records.citizens.setAccount('a', undefined, 'first')).resolves.toBe(true);
    await expect(records.citizens.setAccount('a', 'first', 'account')).resolves.toBe(true);
    await expect(records.citizens.setAccount('a', 'first', 'account')).resolves.toBe(true);
    await expect(records.citizens.setAccount('a', 'first', 'other')).resolves.toBe(false);
    await expect(records.citizens.setAccount('a', undefined, 'other')).resolves.toBe(false);
    await expect(records.citizens.activate('a', 'first')).resolves.toBe(false);
    await expect(records.citizens.activate('a', 'account')).resolves.toBe(true);
    await expect(records.citizens.activate('a', 'account')).resolves.toBe(false);
    await expect(records.citizens.setAccount('a', 'account', 'other')).resolves.toBe(false);
    await expect(records.citizens.findById('a')).resolves.toMatchObject({ accountId: 'account', state: 'ACTIVE' });
    await expect(records.citizens.listByState('CREATING')).resolves.toMatchObject([{ id: 'b' }]);
  });

  it('leaves a tombstone of an erased citizen, and frees the number.', async(): Promise<void> => {
    await records.citizens.insertOrGet(newCitizen('a'));
    await expect(records.citizens.isTombstone('https://pod.example/a/')).resolves.toBe(false);
    await records.citizens.erase('a', later(1));
    await records.citizens.erase('a', later(2));
    await expect(records.citizens.findByNationalNumber(citizenNumber(0))).resolves.toBeUndefined();
    await expect(records.citizens.isTombstone('https://pod.example/a/')).resolves.toBe(true);
    await expect(place.sql('select * from citizens')).resolves.toEqual([]);
    await expect(records.citizens.insertOrGet(newCitizen('b'))).resolves.toMatchObject({ inserted: true });
  });

  it('replaces the owners of a pod, and finds the pods of an owner.', async(): Promise<void> => {
    const [ pod, other ] = [ 'https://pod.example/a/', 'https://pod.example/b/' ];
    const { podOwners } = records;
    await podOwners.set(pod, [ 'https://b.example/#me', 'https://a.example/#me', 'https://a.example/#me' ]);
    await podOwners.set(other, [ 'https://a.example/#me' ]);
    await expect(podOwners.has(pod)).resolves.toBe(true);
    await expect(podOwners.podsOf(parseWebId('https://a.example/#me'))).resolves.toEqual([ pod, other ]);
    await podOwners.set(pod, [ 'https://c.example/#me' ]);
    await expect(podOwners.podsOf(parseWebId('https://a.example/#me'))).resolves.toEqual([ other ]);
    await expect(podOwners.podsOf(parseWebId('https://b.example/#me'))).resolves.toEqual([]);
    await expect(podOwners.podsOf(parseWebId('https://c.example/#me'))).resolves.toEqual([ pod ]);
    await podOwners.set(pod, []);
    await expect(podOwners.has(pod)).resolves.toBe(false);
    await expect(podOwners.podsOf(parseWebId('https://c.example/#me'))).resolves.toEqual([]);
    await expect(podOwners.has(other)).resolves.toBe(true);
  });

  it('expects pods that are being made until their owners are set.', async(): Promise<void> => {
    const [ a, b, c ] = [ 'a', 'b', 'c' ].map((name): string => `https://pod.example/${name}/`);
    const { podOwners } = records;
    await podOwners.expect(b, later(1));
    await podOwners.expect(a, now);
    await podOwners.expect(c, later(2));
    await expect(podOwners.listExpected(later(2))).resolves.toEqual([ a, b ]);
    await podOwners.expect(a, later(3));
    await expect(podOwners.listExpected(later(4))).resolves.toEqual([ b, c, a ]);
    await podOwners.set(b, [ 'https://a.example/#me' ]);
    await podOwners.forgetExpected(c);
    await expect(podOwners.listExpected(later(4))).resolves.toEqual([ a ]);
  });

  it('keeps when all accounts were last searched for pods.', async(): Promise<void> => {
    const { podOwners } = records;
    await expect(podOwners.searchedAt()).resolves.toBeUndefined();
    await podOwners.endSearch(now);
    await podOwners.endSearch(later(1));
    await expect(podOwners.searchedAt()).resolves.toEqual(later(1));
  });

  it('knows whether one of several pods is owned by a WebID.', async(): Promise<void> => {
    await records.podOwners.set('https://pod.example/a/', [ 'https://a.example/#me' ]);
    const { podOwners } = records;
    const pods = [ 'https://pod.example/', 'https://pod.example/a/' ];
    await expect(podOwners.isOwnerOfAny(parseWebId('https://a.example/#me'), pods)).resolves.toBe(true);
    await expect(podOwners.isOwnerOfAny(parseWebId('https://b.example/#me'), pods)).resolves.toBe(false);
    await expect(podOwners.isOwnerOfAny(parseWebId('https://a.example/#me'), [ 'https://pod.example/' ]))
      .resolves.toBe(false);
    await expect(podOwners.isOwnerOfAny(parseWebId('https://a.example/#me'), [])).resolves.toBe(false);
  });

  it('stores the digest of a contract\'s first use.', async(): Promise<void> => {
    await expect(records.contractUses.recordFirstUse('diplomas', 'one', now)).resolves.toBe('one');
    await expect(records.contractUses.recordFirstUse('diplomas', 'two', later(1))).resolves.toBe('one');
    await expect(records.contractUses.list()).resolves.toEqual(new Map([[ 'diplomas', 'one' ]]));
    await expect(records.contractUses.find('diplomas')).resolves.toBe('one');
    await expect(records.contractUses.find('others')).resolves.toBeUndefined();
  });

  it('applies a transaction completely or not at all.', async(): Promise<void> => {
    await expect(records.transaction(async(stores): Promise<void> => {
      await stores.citizens.insertOrGet(newCitizen('a'));
      await stores.podOwners.set('https://pod.example/a/', [ 'https://a.example/#me' ]);
      await stores.audit.append({ type: 'webid.created', at: now });
      throw new Error('changed my mind');
    })).rejects.toThrow('changed my mind');
    await expect(records.citizens.findById('a')).resolves.toBeUndefined();
    await expect(records.podOwners.has('https://pod.example/a/')).resolves.toBe(false);
    await expect(records.audit.list(0, 10)).resolves.toEqual([]);
  });

  it('serves calls outside a transaction while one is in progress.', async(): Promise<void> => {
    const transaction = records.transaction(async(stores): Promise<void> => {
      await stores.citizens.insertOrGet(newCitizen('a'));
      await new Promise<void>((resolve): void => void setImmediate(resolve));
      await stores.audit.append({ type: 'webid.created', at: now });
    });
    const pod = 'https://pod.example/b/';
    const others = [ transaction, records.podOwners.set(pod, [ 'b' ]), records.podOwners.has(pod) ];
    await expect(Promise.all(others)).resolves.toBeDefined();
    await expect(records.citizens.findById('a')).resolves.toBeDefined();
  });
});
