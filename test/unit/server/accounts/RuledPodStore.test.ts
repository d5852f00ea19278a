import type { BasePodStore } from '@solid/community-server';
import type { Citizen } from '../../../../src/identity/CitizenStore';
import type { WebId } from '../../../../src/platform/webId';
import type { Stores } from '../../../../src/storage/Stores';
import { RuledPodStore } from '../../../../src/server/accounts/RuledPodStore';
import { CitizenHoldings } from '../../../../src/wiring/identity/CitizenHoldings';

const base = 'http://localhost:3000/';

interface Pod {
  id: string;
  baseUrl: string;
  owner: string;
}

function podOf(name: string): Pod {
  return { id: `id of ${name}`, baseUrl: `${base}${name}/`, owner: `${base}${name}/profile/card#me` };
}

describe('RuledPodStore', (): void => {
  const recorded = new Map<string, string[]>();
  const removed: string[] = [];
  let pods: Pod[];
  let citizens: Partial<Citizen>[];
  let store: RuledPodStore;

  beforeEach((): void => {
    recorded.clear();
    removed.length = 0;
    citizens = [];
    pods = [ podOf('a'), podOf('b') ];
    const podOwners: Partial<Stores['podOwners']> = {
      has: async(url): Promise<boolean> => recorded.has(url),
      async set(url, webIds): Promise<void> {
        recorded.set(url, webIds);
      },
    };
    const source = {
      get: async(id: string): Promise<Pod | undefined> => pods.find((pod): boolean => pod.id === id),
      getOwners: async(id: string): Promise<{ webId: string }[]> =>
        pods.filter((pod): boolean => pod.id === id).map(({ owner }): { webId: string } => ({ webId: owner })),
      async removeOwner(id: string, webId: string): Promise<void> {
        removed.push(`${id}: ${webId}`);
      },
    };
    const storage = {
      async* entries(): AsyncIterable<Pod> {
        yield* pods;
      },
    };
    const records = {
      get: async(): Promise<object> => ({
        podOwners,
        citizens: {
          findByPodUrl: async(url: string): Promise<unknown> => citizens.find(({ podUrl }): boolean => podUrl === url),
        },
      }),
    };
    store = new RuledPodStore(
      source as unknown as BasePodStore,
      storage as never,
      new CitizenHoldings(records as never, base),
      { isLinked: async(): Promise<boolean> => true } as never,
    );
  });

  it('records pods created before it was in use, and leaves the others.', async(): Promise<void> => {
    await store.recordMissing();
    expect([ ...recorded ]).toEqual(pods.map(({ baseUrl, owner }): unknown => [ baseUrl, [ owner ]]));
    recorded.set(pods[0].baseUrl, [ 'https://other.example/#me' ]);
    pods.push(podOf('c'));
    await store.recordMissing();
    expect(recorded.get(pods[0].baseUrl)).toEqual([ 'https://other.example/#me' ]);
    expect(recorded.get(pods[2].baseUrl)).toEqual([ pods[2].owner ]);
  });

  it('removes an owner, but no citizen from the pod with their data.', async(): Promise<void> => {
    const [ a, b ] = pods;
    citizens = [{ podUrl: a.baseUrl, webId: a.owner as WebId }];
    await expect(store.removeOwner(a.id, a.owner)).rejects.toMatchObject({ statusCode: 409 });
    expect([ removed, recorded.size ]).toEqual([[], 0 ]);

    await store.removeOwner(a.id, b.owner);
    await store.removeOwner(b.id, b.owner);
    await store.removeOwner('id of nothing', b.owner);
    expect(removed).toEqual([ `${a.id}: ${b.owner}`, `${b.id}: ${b.owner}`, `id of nothing: ${b.owner}` ]);
    expect([ ...recorded.keys() ]).toEqual([ a.baseUrl, b.baseUrl ]);
  });
});
