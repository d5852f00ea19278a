import type { BaseClientCredentialsStore, ClientCredentials } from '@solid/community-server';
import { EndingCredentialsStore } from '../../../../src/server/accounts/EndingCredentialsStore';

describe('Client credentials', (): void => {
  const label = 'script_0b5c0cf4-5c52-4e3a-8f6f-0a52b6a1c001';
  let stored: Map<string, object>;
  let done: string[];
  let isAway: boolean;
  let store: EndingCredentialsStore;

  beforeEach((): void => {
    stored = new Map([[ 'id', { id: 'id', label }]]);
    done = [];
    isAway = false;
    const source = {
      get: async(id: string): Promise<ClientCredentials | undefined> => stored.get(id) as ClientCredentials | undefined,
      delete: async(id: string): Promise<void> => {
        done.push('deleted');
        stored.delete(id);
      },
    };
    store = new EndingCredentialsStore(source as Partial<BaseClientCredentialsStore> as BaseClientCredentialsStore, {
      endTokens: async(): Promise<void> => undefined,
      endTokensOfClients: async(clients): Promise<void> => {
        if (isAway) {
          throw new Error('The records are away');
        }
        done.push(`ended ${clients.join(' ')}`);
      },
      endTokensOfApp: async(): Promise<void> => undefined,
    });
  });

  it('lose their tokens before they are gone, and once more after it.', async(): Promise<void> => {
    await store.delete('id');
    expect(done).toEqual([ `ended ${label}`, 'deleted', `ended ${label}` ]);
  });

  it('can be deleted again when their tokens could not be ended.', async(): Promise<void> => {
    isAway = true;
    await expect(store.delete('id')).rejects.toThrow('away');
    isAway = false;
    await store.delete('id');
    expect(done).toContain(`ended ${label}`);
    expect(stored.size).toBe(0);
  });
});
