import {
  BasicRepresentation,
  ComposedAuxiliaryStrategy,
  NotFoundHttpError,
  PassthroughStore,
  RoutingAuxiliaryStrategy,
  SuffixAuxiliaryIdentifierStrategy,
} from '@solid/community-server';
import type { Representation, ResourceIdentifier, ResourceStore } from '@solid/community-server';
import { UnlockedLooksStore } from '../../../../src/server/targets/UnlockedLooksStore';

const present = new Set([ 'http://localhost/a', 'http://localhost/a.acl' ]);

/** Counts calls. */
class CountingStore extends PassthroughStore {
  public readonly asked: string[] = [];

  public override async hasResource({ path }: ResourceIdentifier): Promise<boolean> {
    this.asked.push(path);
    return present.has(path);
  }

  public override async getRepresentation(identifier: ResourceIdentifier): Promise<Representation> {
    this.asked.push(identifier.path);
    return new BasicRepresentation([], identifier);
  }
}

describe('Look-ups without a lock', (): void => {
  const nothing = {} as ResourceStore;
  const suffix = new SuffixAuxiliaryIdentifierStrategy('.acl');
  const rules = new ComposedAuxiliaryStrategy(suffix, undefined, undefined, true);
  const descriptions = new ComposedAuxiliaryStrategy(new SuffixAuxiliaryIdentifierStrategy('.meta'));
  let locked: CountingStore;
  let unlocked: CountingStore;
  let backend: CountingStore;
  let read: Set<string>;
  let store: UnlockedLooksStore;

  beforeEach((): void => {
    locked = new CountingStore(nothing);
    unlocked = new CountingStore(nothing);
    backend = new CountingStore(nothing);
    read = new Set();
    const auxiliaries = new RoutingAuxiliaryStrategy([ rules, descriptions ]);
    store = new UnlockedLooksStore(locked, unlocked, backend, auxiliaries, {
      hasRead: async({ path }): Promise<boolean> => read.has(path),
    });
  });

  it('tell whether a resource is there.', async(): Promise<void> => {
    await expect(store.hasResource({ path: 'http://localhost/a' })).resolves.toBe(true);
    await expect(store.hasResource({ path: 'http://localhost/b' })).resolves.toBe(false);
    expect(locked.asked).toEqual([]);
  });

  it('tell that there are no rules, and nothing more.', async(): Promise<void> => {
    await expect(store.getRepresentation({ path: 'http://localhost/b.acl' }, {})).rejects.toThrow(NotFoundHttpError);
    expect(locked.asked).toEqual([]);
    await store.getRepresentation({ path: 'http://localhost/a.acl' }, {});
    await store.getRepresentation({ path: 'http://localhost/b.meta' }, {});
    await store.getRepresentation({ path: 'http://localhost/b' }, {});
    expect(locked.asked).toEqual([ 'http://localhost/a.acl', 'http://localhost/b.meta', 'http://localhost/b' ]);
  });

  it('take no lock for a document that was read in full.', async(): Promise<void> => {
    read = new Set([ 'http://localhost/a', 'http://localhost/a.acl', 'http://localhost/c/' ]);
    for (const path of [ 'a', 'a.acl', 'b', 'c/' ]) {
      await store.getRepresentation({ path: `http://localhost/${path}` }, {});
    }
    expect(unlocked.asked).toEqual([ 'http://localhost/a', 'http://localhost/a.acl' ]);
    expect(locked.asked).toEqual([ 'http://localhost/b', 'http://localhost/c/' ]);
  });
});
