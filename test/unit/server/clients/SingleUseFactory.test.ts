import {
  BaseCookieStore,
  ContainerPathStorage,
  ExpiringAdapterFactory,
  WrappedExpiringStorage,
} from '@solid/community-server';
import type { ExpiringStorage } from '@solid/community-server';
import { WholeAccountChanges } from '../../../../src/server/accounts/WholeAccountChanges';
import { SingleUseFactory } from '../../../../src/server/clients/SingleUseFactory';
import { SealedStorage } from '../../../../src/server/sealing/SealedStorage';
import { seals, stores } from '../holders/valueStores';
import type { Store } from '../holders/valueStores';

type Adapter = ReturnType<SingleUseFactory['createStorageAdapter']>;

describe.each(stores)('Of several processes at once, on %s,', (_name, open): void => {
  let store: Store;

  beforeAll(async(): Promise<void> => {
    store = await open();
  });

  afterAll(async(): Promise<void> => store.remove());

  /** As each process has it. */
  function values(): ExpiringStorage<string, unknown> {
    const below = new ContainerPathStorage(store.values, '/idp/adapter/');
    return new WrappedExpiringStorage(new SealedStorage(below, '/idp/adapter/', seals) as never);
  }

  function adapters(count: number, name: string): Adapter[] {
    return Array.from({ length: count }, (): Adapter =>
      new SingleUseFactory(new ExpiringAdapterFactory(values() as never)).createStorageAdapter(name));
  }

  it.each([ 'AuthorizationCode', 'RefreshToken' ])('one uses a code or token (%s).', async(name): Promise<void> => {
    const all = adapters(4, name);
    await all[0].upsert('once', { grantId: 'grant', accountId: 'somebody' }, 60);
    const uses = await Promise.allSettled(all.map(async(adapter): Promise<void> => adapter.consume('once')));
    const refused = uses.filter(({ status }): boolean => status === 'rejected');
    expect(refused).toHaveLength(3);
    for (const { reason } of refused as PromiseRejectedResult[]) {
      expect(reason).toMatchObject({ message: 'invalid_grant', expose: true, statusCode: 400 });
    }
    await expect(all[1].find('once')).resolves.toMatchObject({ consumed: expect.any(Number), grantId: 'grant' });
    await expect(all[0].consume('never issued')).rejects.toThrow('invalid_grant');
  });

  it('each adds issued tokens to the list of its grant, so that all are revoked.', async(): Promise<void> => {
    const all = adapters(5, 'AccessToken');
    await Promise.all(all.map(async(adapter, index): Promise<void> =>
      adapter.upsert(`token-${index}`, { grantId: 'shared' }, 60)));
    await all[0].revokeByGrantId('shared');
    const left = await Promise.all(all.map(async(adapter, index): Promise<unknown> => adapter.find(`token-${index}`)));
    expect(left.filter(Boolean)).toEqual([]);
  });

  it('none prolongs a log-in that another ends.', async(): Promise<void> => {
    const others = new BaseCookieStore(values() as never);
    const cookie = await others.generate('account');
    let ask: (() => void) | undefined;
    const ended = new Promise<void>((resolve): void => {
      ask = resolve;
    }).then(async(): Promise<boolean> => others.delete(cookie));
    const slow = values();
    const get = slow.get.bind(slow);
    slow.get = async(key): Promise<unknown> => {
      const value = await get(key);
      ask!();
      await ended;
      return value;
    };
    const cookies = new BaseCookieStore(slow as never);
    const accounts = { create: jest.fn(), set: jest.fn(), setField: jest.fn(), delete: jest.fn() };
    await new WholeAccountChanges(accounts as never, cookies).handle();
    await expect(cookies.refresh(cookie)).resolves.toBeUndefined();
    await expect(others.get(cookie)).resolves.toBeUndefined();
  });
});
