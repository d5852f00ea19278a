import { BadRequestHttpError } from '@solid/community-server';
import type { BasePodStore, PodSettings } from '@solid/community-server';
import type { Citizen } from '../../../../src/identity/CitizenStore';
import type { WebId } from '../../../../src/platform/webId';
import type { Stores } from '../../../../src/storage/Stores';
import { RuledPodStore } from '../../../../src/server/accounts/RuledPodStore';
import { Extensions } from '../../../../src/wiring/Extensions';
import { CitizenHoldings } from '../../../../src/wiring/identity/CitizenHoldings';

const base = 'http://localhost:3000/';
/** A pod that cannot be made. */
const failing = `${base}failing/`;

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
  const expected = new Map<string, Date>();
  const removed: string[] = [];
  let pods: Pod[];
  let wasExpected: boolean;
  let cause: Error | undefined;
  let citizens: Partial<Citizen>[];
  let store: RuledPodStore;

  beforeEach((): void => {
    recorded.clear();
    expected.clear();
    removed.length = 0;
    citizens = [];
    cause = undefined;
    pods = [ podOf('a'), podOf('b') ];
    const podOwners: Partial<Stores['podOwners']> = {
      has: async(url): Promise<boolean> => recorded.has(url),
      async set(url, webIds): Promise<void> {
        recorded.set(url, webIds);
        expected.delete(url);
      },
      async expect(url, since): Promise<void> {
        expected.set(url, since);
      },
      listExpected: async(before): Promise<string[]> =>
        [ ...expected ].filter(([ , since ]): boolean => since < before).map(([ url ]): string => url),
      async forgetExpected(url): Promise<void> {
        expected.delete(url);
      },
    };
    const source = {
      async create(_accountId: string, { base: { path }}: PodSettings): Promise<string> {
        if (path === failing) {
          // As the server's own store does, whatever has failed.
          throw new BadRequestHttpError('Pod creation failed: No space is left', { cause });
        }
        wasExpected = expected.has(path);
        const pod = { ...podOf('new'), baseUrl: path };
        pods.push(pod);
        return pod.id;
      },
      findPods: async(): Promise<Pod[]> => pods,
      findByBaseUrl: async(url: string): Promise<Pod | undefined> =>
        pods.find(({ baseUrl }): boolean => baseUrl === url),
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
          isTombstone: async(): Promise<boolean> => false,
          findByPodUrl: async(url: string): Promise<unknown> => citizens.find(({ podUrl }): boolean => podUrl === url),
        },
      }),
    };
    store = new RuledPodStore(
      source as unknown as BasePodStore,
      storage as never,
      new CitizenHoldings(records as never, base, new Extensions({} as never)),
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

  it('records the owners of pods whose making was interrupted, and of no others.', async(): Promise<void> => {
    const made = podOf('new');
    const settings = { base: { path: made.baseUrl }, webId: made.owner } as PodSettings;
    await store.create('account', settings, false);
    expect([ wasExpected, recorded.get(made.baseUrl), expected.size ]).toEqual([ true, [ made.owner ], 0 ]);
    await expect(store.create('account', { ...settings, base: { path: failing }}, false)).rejects.toThrow('No space');
    cause = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    await expect(store.create('account', { ...settings, base: { path: failing }}, false))
      .rejects.toMatchObject({ statusCode: 503 });

    const [ a, b ] = pods;
    const others = [ 'https://other.example/#me' ];
    recorded.set(b.baseUrl, others);
    const longAgo = new Date(Date.now() - 61_000);
    expected.set(a.baseUrl, longAgo).set(b.baseUrl, longAgo).set(`${base}unmade/`, longAgo);
    await store.recordInterrupted();
    expect([ recorded.get(a.baseUrl), recorded.get(b.baseUrl) ]).toEqual([[ a.owner ], others ]);
    expect([ ...expected.keys() ]).toEqual([ failing ]);
    expect(recorded.size).toBe(3);
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
