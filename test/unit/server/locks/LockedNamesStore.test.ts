import { EventEmitter, once } from 'node:events';
import {
  BasicRepresentation,
  EqualReadWriteLocker,
  MemoryResourceLocker,
  SingleRootIdentifierStrategy,
  SOLID_HTTP,
  SuffixAuxiliaryIdentifierStrategy,
  WrappedExpiringReadWriteLocker,
} from '@solid/community-server';
import type {
  ExpiringReadWriteLocker,
  Patch,
  Representation,
  ResourceIdentifier,
  ResourceStore,
} from '@solid/community-server';
import { LockedNamesStore } from '../../../../src/server/locks/LockedNamesStore';

const base = 'https://pod.example/';

function at(path: string): ResourceIdentifier {
  return { path: base + path };
}

function posted(slug?: string): Representation {
  const representation = new BasicRepresentation('text', 'text/plain');
  representation.metadata.set(SOLID_HTTP.terms.slug, slug);
  return representation;
}

/** Changes of a store that each wait for a signal, and the locks that they hold meanwhile. */
class Changes {
  public readonly held: string[] = [];
  public readonly store: LockedNamesStore;
  private readonly signals = new EventEmitter();
  private count = 0;

  public constructor() {
    const source = new EqualReadWriteLocker(new MemoryResourceLocker());
    const change = this.change.bind(this);
    const store: Partial<ResourceStore> = {
      hasResource: async({ path }): Promise<boolean> => [ '', 'c/', 'c/there' ].includes(path.slice(base.length)),
      addResource: change,
      setRepresentation: change,
      modifyResource: change,
      deleteResource: change,
    };
    this.store = new LockedNamesStore(
      store as ResourceStore,
      new WrappedExpiringReadWriteLocker({
        withReadLock: source.withReadLock.bind(source),
        withWriteLock: async(identifier, work): Promise<never> =>
          source.withWriteLock(identifier, async(): Promise<never> => {
            this.held.push(identifier.path.slice(base.length - 1));
            return await work() as never;
          }),
      }, 10_000),
      new SuffixAuxiliaryIdentifierStrategy('.acl'),
      new SingleRootIdentifierStrategy(base),
    );
  }

  /** Runs a change to its end, and returns the locks that it took, in this order. */
  public async locksOf(change: (store: LockedNamesStore) => Promise<unknown>): Promise<string[]> {
    const begun = once(this.signals, 'begun');
    const done = change(this.store);
    await begun;
    this.signals.emit('end');
    await done;
    return this.held.splice(0);
  }

  /** Begins two changes, and returns how many run at the same time. */
  public async atOnce(...changes: ((store: LockedNamesStore) => Promise<unknown>)[]): Promise<number> {
    const begun = once(this.signals, 'begun');
    const done = changes.map(async(change): Promise<unknown> => change(this.store));
    await begun;
    for (let turn = 0; turn < 20; turn += 1) {
      await new Promise(setImmediate);
    }
    const { count } = this;
    this.signals.on('begun', (): void => {
      setImmediate((): boolean => this.signals.emit('end'));
    });
    this.signals.emit('end');
    await Promise.all(done);
    return count;
  }

  private async change(): Promise<never> {
    this.count += 1;
    this.signals.emit('begun');
    await once(this.signals, 'end');
    return 'changed' as never;
  }
}

describe('A change locks', (): void => {
  it.each<[string, string[], (store: LockedNamesStore) => Promise<unknown>]>([
    [ 'the resource that it replaces', [ '/c/there' ], async(store): Promise<unknown> =>
      store.setRepresentation(at('c/there'), posted()) ],
    [ 'a new resource', [ '/c/new' ], async(store): Promise<unknown> =>
      store.setRepresentation(at('c/new'), posted()) ],
    [ 'the containers that it creates', [ '/c/x/y/new', '/c/x/y', '/c/x' ], async(store): Promise<unknown> =>
      store.setRepresentation(at('c/x/y/new'), posted()) ],
    [ 'them for a patch', [ '/c/x/new', '/c/x' ], async(store): Promise<unknown> =>
      store.modifyResource(at('c/x/new'), {} as Patch) ],
    [ 'a missing container once, of which it writes the rules', [ '/c/x' ], async(store): Promise<unknown> =>
      store.setRepresentation(at('c/x/.acl'), posted()) ],
    [ 'the name that a new member asks for', [ '/c/a%20b', '/c' ], async(store): Promise<unknown> =>
      store.addResource(at('c/'), posted('a b/')) ],
    [ 'the container alone without a name', [ '/c' ], async(store): Promise<unknown> =>
      store.addResource(at('c/'), posted()) ],
    [ 'the container alone with a malformed name', [ '/c' ], async(store): Promise<unknown> =>
      store.addResource(at('c/'), posted('%E0%A4%A')) ],
    [ 'the resource that it removes', [ '/c' ], async(store): Promise<unknown> => store.deleteResource(at('c/')) ],
  ])('%s.', async(_what, locks, change): Promise<void> => {
    await expect(new Changes().locksOf(change)).resolves.toEqual(locks);
  });
});

describe('One change at a time', (): void => {
  it.each<[string, ...((store: LockedNamesStore) => Promise<unknown>)[]]>([
    [ 'creates a document or a container of one name', async(store): Promise<unknown> =>
      store.setRepresentation(at('c/x'), posted()), async(store): Promise<unknown> =>
      store.setRepresentation(at('c/x/'), posted()) ],
    [ 'creates a document, or a container on the way to another', async(store): Promise<unknown> =>
      store.setRepresentation(at('c/x'), posted()), async(store): Promise<unknown> =>
      store.setRepresentation(at('c/x/y'), posted()) ],
    [ 'gives a name to a new member, or creates it', async(store): Promise<unknown> =>
      store.addResource(at('c/'), posted('x')), async(store): Promise<unknown> =>
      store.setRepresentation(at('c/x'), posted()) ],
  ])('%s.', async(_what, ...changes): Promise<void> => {
    await expect(new Changes().atOnce(...changes)).resolves.toBe(1);
    await expect(new Changes().atOnce(...changes.reverse())).resolves.toBe(1);
  });
});

describe('A lock', (): void => {
  it('does not expire while the next one is waited for.', async(): Promise<void> => {
    jest.useFakeTimers({ doNotFake: [ 'nextTick', 'queueMicrotask', 'setImmediate' ]});
    try {
      const signals = new EventEmitter();
      const isWaiting = once(signals, 'waiting');
      let renewed = 0;
      const locks: ExpiringReadWriteLocker = {
        withReadLock: async(): Promise<never> => {
          throw new Error('Nothing is read');
        },
        async withWriteLock<T>({ path }: ResourceIdentifier, work: (renew: () => void) => T | Promise<T>): Promise<T> {
          if (path === `${base}c`) {
            signals.emit('waiting');
            await once(signals, 'free');
          }
          return work((): void => {
            renewed += 1;
          });
        },
      };
      const source: Partial<ResourceStore> = {
        async addResource(): Promise<never> {
          jest.advanceTimersByTime(10_000);
          return 'added' as never;
        },
      };
      const auxiliaryStrategy = new SuffixAuxiliaryIdentifierStrategy('.acl');
      const store = new LockedNamesStore(
        source as ResourceStore,
        locks,
        auxiliaryStrategy,
        new SingleRootIdentifierStrategy(base),
      );
      const added = store.addResource(at('c/'), posted('x'));
      await isWaiting;
      jest.advanceTimersByTime(6000);
      expect(renewed).toBe(3);
      signals.emit('free');
      await expect(added).resolves.toBe('added');
      expect(renewed).toBe(3);
    } finally {
      jest.useRealTimers();
    }
  });
});
