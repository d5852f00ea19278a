import type { BaseWebIdStore } from '@solid/community-server';
import type { Citizen } from '../../../../src/identity/CitizenStore';
import type { ProviderSessions } from '../../../../src/server/accounts/ProviderSessions';
import { RuledWebIdStore } from '../../../../src/server/accounts/RuledWebIdStore';
import { Extensions } from '../../../../src/wiring/Extensions';
import { CitizenHoldings } from '../../../../src/wiring/identity/CitizenHoldings';

describe('A WebID that is unlinked', (): void => {
  const webId = 'https://pods.example/ann/profile/card#me';
  let links: Map<string, object>;
  let done: string[];
  let isAway: boolean;
  let citizen: Pick<Citizen, 'accountId' | 'brought'> | undefined;
  let store: RuledWebIdStore;

  beforeEach((): void => {
    links = new Map([[ 'link', { webId, accountId: 'account' }]]);
    done = [];
    isAway = false;
    citizen = undefined;
    const source = {
      get: async(id: string): Promise<object | undefined> => links.get(id),
      delete: async(id: string): Promise<void> => {
        done.push('unlinked');
        links.delete(id);
      },
    };
    const sessions = {
      end: async({ webIds }: { webIds: string[] }): Promise<void> => {
        if (isAway) {
          throw new Error('The records are away');
        }
        done.push(`ended ${webIds.join(' ')}`);
      },
    };
    const records = {
      get: async(): Promise<object> => ({ citizens: { findByWebId: async(): Promise<unknown> => citizen }}),
    };
    store = new RuledWebIdStore(
      source as Partial<BaseWebIdStore> as BaseWebIdStore,
      new CitizenHoldings(records as never, 'https://pods.example/', new Extensions({} as never)),
      sessions as Partial<ProviderSessions> as ProviderSessions,
    );
  });

  it('loses its sessions before the link is gone, and once more after it.', async(): Promise<void> => {
    await store.delete('link');
    expect(done).toEqual([ `ended ${webId}`, 'unlinked', `ended ${webId}` ]);
  });

  it('can be unlinked again when its sessions could not be ended.', async(): Promise<void> => {
    isAway = true;
    await expect(store.delete('link')).rejects.toThrow('away');
    isAway = false;
    await store.delete('link');
    expect(done).toContain(`ended ${webId}`);
    expect(links.size).toBe(0);
  });

  it('is not that of a citizen, made here: the citizen could no longer log in with it.', async(): Promise<void> => {
    citizen = { accountId: 'account' };
    await expect(store.delete('link')).rejects.toMatchObject({ statusCode: 409 });
    expect(done).toEqual([]);
  });

  it.each([
    [ 'that a citizen brought', { accountId: 'account', brought: 'WEBID' as const }],
    [ 'of a citizen with another account', { accountId: 'other' }],
  ])('may be one %s.', async(_description, other): Promise<void> => {
    citizen = other;
    await store.delete('link');
    expect(done).toContain('unlinked');
  });
});
