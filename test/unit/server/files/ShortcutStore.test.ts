import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  BasicRepresentation,
  ChainedConverter,
  ComposedAuxiliaryStrategy,
  DataAccessorBasedStore,
  ExtensionBasedMapper,
  FileDataAccessor,
  INTERNAL_QUADS,
  RdfToQuadConverter,
  readableToQuads,
  readableToString,
  RepresentationConvertingStore,
  SingleRootIdentifierStrategy,
  SuffixAuxiliaryIdentifierStrategy,
} from '@solid/community-server';
import type { Representation, ResourceIdentifier, ResourceStore } from '@solid/community-server';
import { AtomicWritesDataAccessor } from '../../../../src/server/files/AtomicWritesDataAccessor';
import { ShortcutStore } from '../../../../src/server/files/ShortcutStore';
import { removeFolder, temporaryFolder } from '../../../support/world';
import { array, assert, asyncProperty, constantFrom, record } from '../../../support/properties';

const base = 'http://localhost:3000/';
const acl: ResourceIdentifier = { path: `${base}alice/x.acl` };
const asQuads = { type: { [INTERNAL_QUADS]: 1 }};

/** Counts calls. */
class CountingStore extends RepresentationConvertingStore {
  public asked = 0;

  public override async hasResource(identifier: ResourceIdentifier): Promise<boolean> {
    this.asked += 1;
    return super.hasResource(identifier);
  }

  public override async getRepresentation(
    ...args: Parameters<RepresentationConvertingStore['getRepresentation']>
  ): Promise<Representation> {
    this.asked += 1;
    return super.getRepresentation(...args);
  }
}

async function quadsOf(store: ResourceStore, identifier: ResourceIdentifier): Promise<string[] | string> {
  try {
    const { data, metadata } = await store.getRepresentation(identifier, asQuads);
    const quads = await readableToQuads(data);
    expect(metadata.contentType).toBe(INTERNAL_QUADS);
    return quads.getQuads(null, null, null, null).map(({ object }): string => object.value);
  } catch (error: unknown) {
    return (error as Error).name;
  }
}

/** A clock at which every file is a minute old. */
function letAMinutePass(): void {
  stopAt(new Date(Date.now() + 60_000));
}

function stopAt(now: Date): void {
  jest.useFakeTimers({ now, doNotFake: [ 'nextTick', 'queueMicrotask', 'setImmediate' ]});
}

async function answer(asked: ResourceStore, identifier: ResourceIdentifier): Promise<unknown> {
  return asked.hasResource(identifier).catch(String);
}

describe('ShortcutStore', (): void => {
  let root: string;
  let source: CountingStore;
  let store: ShortcutStore;
  /** A store on a server that may store resources elsewhere than in files. */
  let elsewhere: ShortcutStore;

  beforeEach(async(): Promise<void> => {
    root = await temporaryFolder();
    await mkdir(join(root, 'alice'));
    const mapper = new ExtensionBasedMapper(base, root);
    const auxiliary = new ComposedAuxiliaryStrategy(new SuffixAuxiliaryIdentifierStrategy('.acl'));
    const meta = new ComposedAuxiliaryStrategy(new SuffixAuxiliaryIdentifierStrategy('.meta'));
    const strategy = new SingleRootIdentifierStrategy(base);
    const accessor = new AtomicWritesDataAccessor(new FileDataAccessor(mapper), mapper, root, '/.internal/tempFiles/');
    const files = new DataAccessorBasedStore(accessor, strategy, auxiliary, meta);
    source = new CountingStore(files, meta, { outConverter: new ChainedConverter([ new RdfToQuadConverter() ]) });
    store = new ShortcutStore(source, mapper, meta, accessor, files);
    elsewhere = new ShortcutStore(source, mapper, meta, accessor, source);
  });

  afterEach(async(): Promise<void> => {
    jest.useRealTimers();
    await removeFolder(root);
  });

  async function writeAcl(name: string): Promise<void> {
    await writeFile(join(root, 'alice/x.acl'), `<#a> <http://www.w3.org/ns/auth/acl#agent> <#${name}> .`);
  }

  it('reads an access control document once, as long as its file is unchanged.', async(): Promise<void> => {
    await writeAcl('bob');
    letAMinutePass();
    await expect(quadsOf(store, acl)).resolves.toEqual([ `${acl.path}#bob` ]);
    await expect(quadsOf(store, acl)).resolves.toEqual([ `${acl.path}#bob` ]);
    expect(source.asked).toBe(1);
  });

  it('notices each of many changes of an access control document in a row.', async(): Promise<void> => {
    for (let index = 0; index < 100; index += 1) {
      await writeAcl(`a${100 + index}`);
      await expect(quadsOf(store, acl)).resolves.toEqual([ `${acl.path}#a${100 + index}` ]);
    }
    await rm(join(root, 'alice/x.acl'));
    await expect(quadsOf(store, acl)).resolves.toBe('NotFoundHttpError');
  });

  it('notices a change of a cached document.', async(): Promise<void> => {
    await writeAcl('bob');
    letAMinutePass();
    await quadsOf(store, acl);
    const { ctimeNs } = await stat(join(root, 'alice/x.acl'), { bigint: true });
    do {
      await writeAcl('eve');
    } while ((await stat(join(root, 'alice/x.acl'), { bigint: true })).ctimeNs === ctimeNs);
    await expect(quadsOf(store, acl)).resolves.toEqual([ `${acl.path}#eve` ]);
  });

  it('asks the store for an access control document that may be about to change.', async(): Promise<void> => {
    stopAt((await stat(join(root, 'alice'))).ctime);
    await expect(store.hasResource(acl)).resolves.toBe(false);
    expect(source.asked).toBe(1);
    letAMinutePass();
    await expect(store.hasResource(acl)).resolves.toBe(false);
    await expect(quadsOf(store, acl)).resolves.toBe('NotFoundHttpError');
    expect(source.asked).toBe(1);
  });

  it('leaves a description unchanged if its subject does not exist.', async(): Promise<void> => {
    const description = join(root, 'alice/gone.meta');
    await writeFile(description, '');
    letAMinutePass();
    await expect(store.hasResource({ path: `${base}alice/gone` })).resolves.toBe(false);
    expect(source.asked).toBe(0);
    await expect(stat(description)).resolves.toBeDefined();
  });

  it('leaves all other reading to the store.', async(): Promise<void> => {
    await writeAcl('bob');
    letAMinutePass();
    const { data } = await store.getRepresentation(acl, { type: { 'text/turtle': 1 }});
    await expect(readableToString(data)).resolves.toContain('#bob');
    await quadsOf(store, { path: `${base}alice/` });
    await quadsOf(store, { path: `${base}alice/` });
    expect(source.asked).toBe(3);
  });

  it('evicts the oldest entry if it has read too much.', async(): Promise<void> => {
    const large = Array.from({ length: 15_000 }, (_, index): string => `<#a> <#b> <#${index}> .`).join('\n');
    await writeFile(join(root, 'alice/y.acl'), large);
    await writeFile(join(root, 'alice/z.acl'), large);
    letAMinutePass();
    const [ y, z ] = [ 'y', 'z' ].map((name): ResourceIdentifier => ({ path: `${base}alice/${name}.acl` }));
    for (const identifier of [ y, z, z, y ]) {
      await expect(quadsOf(store, identifier)).resolves.toHaveLength(15_000);
    }
    expect(source.asked).toBe(3);
  });

  it('agrees with the store whether a resource exists.', async(): Promise<void> => {
    const names = [ 'a', 'a/', 'a.acl', 'a.meta', 'a.ttl', 'a$.ttl', 'a/b', 'a/b/', '', '.meta', '../x', 'a%0Ab' ];
    const files = [ 'a', 'a$.ttl', 'a.acl', 'a.acl$.jsonld', 'a.meta', 'a.ttl', 'a/b', '.meta' ];
    const step = record({ does: constantFrom('file', 'folder', 'remove', 'move'), file: constantFrom(...files) });
    await assert(asyncProperty(array(step, { maxLength: 8 }), async(steps): Promise<void> => {
      await rm(join(root, 'alice'), { recursive: true, force: true });
      await mkdir(join(root, 'alice'));
      for (const { does, file } of steps) {
        const path = join(root, 'alice', file);
        const deeds: Record<string, () => Promise<unknown>> = {
          file: async(): Promise<unknown> => writeFile(path, ''),
          // Not a folder in place of a description: the store has a separate error for that.
          folder: async(): Promise<unknown> => file.endsWith('.meta') || mkdir(path),
          remove: async(): Promise<unknown> => rm(path, { recursive: true }),
          move: async(): Promise<unknown> => rename(path, join(root, 'alice/a')),
        };
        await deeds[does]().catch((): void => {
          // Impossible in this state.
        });
        for (const name of names) {
          const identifier = { path: `${base}alice/${name}` };
          await expect(answer(store, identifier)).resolves.toEqual(await answer(source, identifier));
        }
      }
    }), { numRuns: 30 });
  });

  it('asks the store for everything on a server that may store resources elsewhere.', async(): Promise<void> => {
    await writeAcl('bob');
    letAMinutePass();
    for (let time = 1; time <= 4; time += 2) {
      await expect(quadsOf(elsewhere, acl)).resolves.toEqual([ `${acl.path}#bob` ]);
      await expect(elsewhere.hasResource({ path: `${base}alice/none` })).resolves.toBe(false);
      expect(source.asked).toBe(time + 1);
    }
  });

  it('passes writes on.', async(): Promise<void> => {
    const identifier = { path: `${base}alice/new` };
    await store.setRepresentation(identifier, new BasicRepresentation('text', identifier, 'text/plain'));
    await expect(store.hasResource(identifier)).resolves.toBe(true);
  });
});
