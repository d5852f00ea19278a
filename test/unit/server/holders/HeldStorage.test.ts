import {
  ContainerPathStorage,
  ExpiringAdapterFactory,
  MemoryMapStorage,
  WrappedExpiringStorage,
} from '@solid/community-server';
import { LapsingClientsFactory } from '../../../../src/server/clients/LapsingClientsFactory';
import { HeldStorage } from '../../../../src/server/holders/HeldStorage';
import { SealedStorage } from '../../../../src/server/sealing/SealedStorage';
import { counted, seals, stores } from './valueStores';
import type { Store } from './valueStores';

type Adapter = ReturnType<LapsingClientsFactory['createStorageAdapter']>;
type Payload = Parameters<Adapter['upsert']>[1];

const webId = 'https://pod.example/anna/profile/card#me';
const stranger = 'https://pod.example/bob/profile/card#me';
const hour = 3_600_000;
const day = 24 * hour;

function pass(milliseconds: number): void {
  jest.setSystemTime(Date.now() + milliseconds);
}

describe.each(stores)('Held values in %s', (_, open): void => {
  let store: Store;
  let reads: number;
  let held: HeldStorage;
  let factory: LapsingClientsFactory;

  function area(path: string): WrappedExpiringStorage<string, unknown> {
    const values = counted(store.values, (): number => reads += 1);
    return new WrappedExpiringStorage(new SealedStorage(new ContainerPathStorage(values, path), path, seals) as never);
  }

  function adapter(name: string): Adapter {
    return factory.createStorageAdapter(name);
  }

  async function add(name: string, id: string, payload: Payload, expiresIn = 3600): Promise<void> {
    await adapter(name).upsert(id, payload, expiresIn);
  }

  async function names(): Promise<string[]> {
    const found: string[] = [];
    for await (const [ key ] of store.values.entries()) {
      found.push(key);
    }
    return found;
  }

  beforeEach(async(): Promise<void> => {
    jest.useFakeTimers({
      doNotFake: [ 'nextTick', 'queueMicrotask', 'setImmediate', 'setInterval', 'setTimeout', 'clearTimeout' ],
    });
    store = await open();
    reads = 0;
    held = new HeldStorage({
      source: area('/idp/adapter/'),
      heldBy: 'accountId',
      values: counted(store.values, (): number => reads += 1),
      folders: counted(store.at('/idp/holders/'), (): number => reads += 1),
      area: '/idp/holders/',
      seals,
    });
    factory = new LapsingClientsFactory(new ExpiringAdapterFactory(held), area('/idp/clients/'), held, 3);
  });

  afterEach(async(): Promise<void> => {
    jest.useRealTimers();
    await store.remove();
  });

  it('removes all values of one holder, without reading those of thousands of others.', async(): Promise<void> => {
    await add('Grant', 'g1', { accountId: webId, clientId: 'app' });
    await add('RefreshToken', 'r1', { accountId: webId, clientId: 'app', grantId: 'g1' });
    await add('Session', 's1', { accountId: webId, uid: 'u1' });
    await add('Interaction', 'i1', { uid: 'u2', result: { login: { accountId: webId }}});
    await add('Session', 's2', { accountId: stranger, uid: 'u3' });
    async function cost(): Promise<number> {
      reads = 0;
      await held.removeOf(webId);
      return reads;
    }
    const alone = await cost();
    await expect(names()).resolves.toHaveLength(3);
    for (let batch = 0; batch < 20; batch += 1) {
      await Promise.all(Array.from({ length: 100 }, async(_, index): Promise<void> =>
        add('Interaction', `x${batch}-${index}`, {})));
    }
    await add('Grant', 'g1', { accountId: webId, clientId: 'app' });
    await add('RefreshToken', 'r1', { accountId: webId, clientId: 'app', grantId: 'g1' });
    await add('Session', 's1', { accountId: webId, uid: 'u1' });
    await add('Interaction', 'i1', { uid: 'u2', result: { login: { accountId: webId }}});
    await expect(cost()).resolves.toBe(alone);
    expect(alone).toBeLessThan(20);
    await expect(adapter('Session').findByUid('u3')).resolves.toMatchObject({ accountId: stranger });
    await expect(names()).resolves.toHaveLength(2003);
    await expect(cost()).resolves.toBe(0);
  });

  it('lists a holder\'s values, and removes some with the references to them.', async(): Promise<void> => {
    await add('Grant', 'g1', { accountId: webId, clientId: 'app' });
    await add('RefreshToken', 'r1', { accountId: webId, clientId: 'app', grantId: 'g1' });
    await add('Grant', 'g2', { accountId: webId, clientId: 'other' });
    await add('Grant', 'g3', { accountId: stranger, clientId: 'app' });
    await expect(held.valuesOf(webId)).resolves.toEqual(new Map<string, unknown>([
      [ 'Grant/g1', { accountId: webId, clientId: 'app' }],
      [ 'RefreshToken/r1', { accountId: webId, clientId: 'app', grantId: 'g1' }],
      [ 'Grant/g2', { accountId: webId, clientId: 'other' }],
    ]));
    await held.removeSome(webId, [ 'Grant/g1', 'RefreshToken/r1' ]);
    await expect(held.get('grants/g1')).resolves.toBeUndefined();
    await expect(held.valuesOf(webId)).resolves.toEqual(new Map([
      [ 'Grant/g2', { accountId: webId, clientId: 'other' }],
    ]));
    await expect(adapter('Grant').find('g3')).resolves.toMatchObject({ accountId: stranger });
    pass(3_601_000);
    await expect(held.valuesOf(webId)).resolves.toEqual(new Map());
  });

  it('keeps named exceptions, and values of others.', async(): Promise<void> => {
    await held.set('mine', { accountId: webId });
    await held.set('kept', { accountId: webId });
    await held.set('both', { accountId: webId, session: { accountId: stranger }});
    await held.removeOf(webId, 'kept');
    await expect(held.get('mine')).resolves.toBeUndefined();
    await expect(held.get('both')).resolves.toBeUndefined();
    await expect(held.get('kept')).resolves.toEqual({ accountId: webId });
    await held.removeOf(webId);
    await expect(held.get('kept')).resolves.toBeUndefined();
  });

  it('writes neither holders nor keys in readable form.', async(): Promise<void> => {
    await add('Session', 'secret-cookie', { accountId: webId, uid: 'u1' });
    const all: unknown[] = [];
    for await (const entry of store.values.entries()) {
      all.push(entry);
    }
    expect(JSON.stringify(all)).not.toMatch(/pod\.example|\/anna\/|secret-cookie|"u1"/u);
  });

  it('removes notes of values that are gone, but not of those about to come.', async(): Promise<void> => {
    await held.set('one', { accountId: webId }, hour);
    await held.set('two', { accountId: webId });
    await held.delete('two');
    await expect(names()).resolves.toHaveLength(2);
    await held.sweep(Date.now() + (2 * hour));
    await expect(names()).resolves.toHaveLength(2);
    pass(hour + 1);
    await expect(held.get('one')).resolves.toBeUndefined();
    await held.sweep(Date.now() - hour);
    await expect(names()).resolves.toHaveLength(1);
    await held.sweep();
    await expect(names()).resolves.toEqual([]);
  });

  it('keeps a used code no longer than it says.', async(): Promise<void> => {
    const exp = Math.floor(Date.now() / 1000) + 600;
    await add('AuthorizationCode', 'code', { accountId: webId, clientId: 'app', grantId: 'g', exp }, 600);
    await adapter('AuthorizationCode').consume('code');
    await expect(adapter('AuthorizationCode').find('code')).resolves.toMatchObject({ consumed: expect.any(Number) });
    pass(600_001);
    await expect(adapter('AuthorizationCode').find('code')).resolves.toBeUndefined();
  });

  it('migrates what earlier versions stored, once.', async(): Promise<void> => {
    const earlier = area('/idp/adapter/');
    await earlier.set('Session/s1', { accountId: webId });
    await earlier.set('Client/app', { client_id: 'app' });
    await earlier.set('RegistrationAccessToken/t1', { clientId: 'app' });
    await factory.takeOver();
    await held.takeOver();
    await expect(adapter('Client').find('app')).resolves.toEqual({ client_id: 'app' });
    await expect(earlier.has('Client/app')).resolves.toBe(false);
    await expect(earlier.has('RegistrationAccessToken/t1')).resolves.toBe(false);
    reads = 0;
    await factory.takeOver();
    await held.takeOver();
    expect(reads).toBe(2);
    await held.removeOf(webId);
    await expect(earlier.has('Session/s1')).resolves.toBe(false);
    pass((90 * day) + 1);
    await expect(adapter('Client').find('app')).resolves.toBeUndefined();
  });

  it('is refused where holders could not be found again.', async(): Promise<void> => {
    // As beside values in memory.
    const values = new MemoryMapStorage<unknown>();
    const [ source, folders ] = [ area('/idp/adapter/'), store.at('/idp/holders/') ];
    held = new HeldStorage({ source, heldBy: 'accountId', values, folders, area: '/idp/holders/', seals });
    await expect(held.takeOver()).rejects.toThrow('css:config/storage/key-value/resource-store.json');
  });

  it('keeps an unused client for a day, and any other for 90 days.', async(): Promise<void> => {
    await add('Client', 'unused', { client_id: 'unused' });
    await add('Client', 'used', { client_id: 'used' });
    await add('Grant', 'g1', { accountId: webId, clientId: 'used' });
    await add('ReplayDetection', 'x', { clientId: 'unused' });
    pass(day + 1);
    await expect(adapter('Client').find('unused')).resolves.toBeUndefined();
    await expect(adapter('Client').find('used')).resolves.toEqual({ client_id: 'used' });
    pass(80 * day);
    await add('AuthorizationCode', 'c1', { accountId: webId, clientId: 'used' });
    pass(80 * day);
    await expect(adapter('Client').find('used')).resolves.toEqual({ client_id: 'used' });
    pass(11 * day);
    await expect(adapter('Client').find('used')).resolves.toBeUndefined();
  });

  it('keeps a limited number of unused clients, dropping the oldest first.', async(): Promise<void> => {
    await add('Client', 'used', { client_id: 'used' });
    await add('Grant', 'g1', { accountId: webId, clientId: 'used' });
    for (let index = 0; index < 10; index += 1) {
      await add('Client', `c${index}`, { client_id: `c${index}` });
    }
    const found = await Promise.all([ 'used', 'c6', 'c7', 'c8', 'c9' ].map(async(id): Promise<unknown> =>
      adapter('Client').find(id)));
    expect(found.map((client): boolean => client !== undefined)).toEqual([ true, false, true, true, true ]);
    await adapter('Client').destroy('c9');
    await expect(adapter('Client').find('c9')).resolves.toBeUndefined();
  });

  it('keeps a client that is used in another process.', async(): Promise<void> => {
    await add('Client', 'used', { client_id: 'used' });
    const elsewhere = new LapsingClientsFactory(new ExpiringAdapterFactory(held), area('/idp/clients/'), held);
    await elsewhere.createStorageAdapter('Grant').upsert('g1', { accountId: webId, clientId: 'used' }, 60);
    for (let index = 0; index < 10; index += 1) {
      await add('Client', `c${index}`, { client_id: `c${index}` });
    }
    await expect(adapter('Client').find('used')).resolves.toEqual({ client_id: 'used' });
  });
});
