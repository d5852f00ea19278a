import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  BasicConditions,
  BasicRepresentation,
  ComposedAuxiliaryStrategy,
  DataAccessorBasedStore,
  FileDataAccessor,
  INTERNAL_QUADS,
  LDP,
  PreconditionFailedHttpError,
  readableToQuads,
  RepresentationMetadata,
  RoutingAuxiliaryStrategy,
  SingleRootIdentifierStrategy,
  SuffixAuxiliaryIdentifierStrategy,
} from '@solid/community-server';
import type { ResourceStore } from '@solid/community-server';
import type { Quad } from '@rdfjs/types';
import { AtomicWritesDataAccessor } from '../../../../src/server/files/AtomicWritesDataAccessor';
import { IndexedFileMapper } from '../../../../src/server/files/IndexedFileMapper';
import { ListedContainersStore } from '../../../../src/server/versions/ListedContainersStore';
import { ListingETagHandler } from '../../../../src/server/versions/ListingETagHandler';
import type { ListedMember, ListingState, ListingStorage } from '../../../../src/server/versions/ListingStorage';

const base = 'http://localhost:3000/';
const root = { path: base };
const container = { path: `${base}alice/` };
const descriptions = new ComposedAuxiliaryStrategy(new SuffixAuxiliaryIdentifierStrategy('.meta'));
const auxiliaryStrategy = new RoutingAuxiliaryStrategy([
  descriptions,
  new ComposedAuxiliaryStrategy(new SuffixAuxiliaryIdentifierStrategy('.acl'), undefined, undefined, true),
]);
const identifierStrategy = new SingleRootIdentifierStrategy(base);

describe('Listings of containers', (): void => {
  let folder: string;
  let backend: DataAccessorBasedStore;
  let store: ListedContainersStore;

  beforeEach(async(): Promise<void> => {
    folder = await mkdtemp(join(tmpdir(), 'listings-'));
    const mapper = new IndexedFileMapper(base, folder);
    const storage = new AtomicWritesDataAccessor(new FileDataAccessor(mapper), mapper, folder, '/.internal/tempFiles/');
    backend = new DataAccessorBasedStore(storage, identifierStrategy, auxiliaryStrategy, descriptions);
    store = new ListedContainersStore({ source: backend, storage, backend, auxiliaryStrategy });
    await storage.writeContainer(root, new RepresentationMetadata(root));
    await storage.writeContainer(container, new RepresentationMetadata(container));
  });

  afterEach(async(): Promise<void> => {
    await rm(folder, { recursive: true });
  });

  async function put(path: string, text: string, contentType = 'text/plain'): Promise<void> {
    const identifier = { path: base + path };
    await store.setRepresentation(identifier, new BasicRepresentation(text, identifier, contentType));
  }

  async function tag({ path } = container): Promise<string> {
    const { data, metadata } = await store.getRepresentation({ path }, {});
    data.destroy();
    return new ListingETagHandler().getETag(metadata)!;
  }

  it('have the statements of the server.', async(): Promise<void> => {
    await put('alice/note', 'Hello');
    await put('alice/note.acl', '', 'text/turtle');
    await put('alice/odd name', '?', 'application/x-odd');
    await put('alice/table.csv', 'a,b', 'text/csv');
    await put('alice/photos/portrait', 'x', 'image/png');
    await writeFile(join(folder, 'alice/.meta'), `<${container.path}> <https://vocab.example/name> "Alice".`);
    await symlink(join(folder, 'alice/photos'), join(folder, 'alice/linked'));
    await symlink('nowhere', join(folder, 'alice/broken'));

    const listed = await quadsOf(store, container.path);
    expect(listed).toEqual(await quadsOf(backend, container.path));
    expect(listed.filter((line): boolean => line.includes('contains'))).toHaveLength(5);
    await expect(quadsOf(store, `${container.path}photos/portrait.meta`)).resolves
      .toEqual(await quadsOf(backend, `${container.path}photos/portrait.meta`));
  });

  it('show containers that have the name of a description.', async(): Promise<void> => {
    await mkdir(join(folder, 'alice/old notes.meta'));
    await expect(quadsOf(store, container.path)).resolves
      .toContainEqual(expect.stringContaining(`ldp#contains ${container.path}old%20notes.meta/`));
  });

  it('have a version that changes with each of their members.', async(): Promise<void> => {
    const seen = [ await tag() ];
    for (const change of [
      async(): Promise<void> => put('alice/note', 'one'),
      async(): Promise<void> => put('alice/note', 'other'),
      async(): Promise<void> => put('alice/photos/portrait', 'x', 'image/png'),
      async(): Promise<void> => put('alice/photos/landscape', 'x', 'image/png'),
      async(): Promise<unknown> => store.deleteResource({ path: `${container.path}note` }),
    ]) {
      await change();
      seen.push(await tag());
    }
    expect(new Set(seen).size).toBe(seen.length);
    await expect(tag()).resolves.toBe(seen.at(-1));
  });

  it('have a version for conditional changes.', async(): Promise<void> => {
    await put('alice/note', 'one');
    const before = await tag();
    await put('alice/note', 'other');
    const slug = { ...container, path: `${container.path}other` };
    async function add(eTag: string): Promise<void> {
      const conditions = new BasicConditions(new ListingETagHandler(), { matchesETag: [ eTag ]});
      await store.addResource(container, new BasicRepresentation('x', slug, 'text/plain'), conditions);
    }
    await expect(add(before)).rejects.toThrow(PreconditionFailedHttpError);
    await expect(add(await tag())).resolves.toBeUndefined();
  });

  it('mark an empty container in its metadata.', async(): Promise<void> => {
    async function isEmpty(): Promise<boolean> {
      const { data, metadata } = await store.getRepresentation(container, {});
      data.destroy();
      return !metadata.has(LDP.terms.contains);
    }
    await expect(isEmpty()).resolves.toBe(true);
    await put('alice/.acl', '', 'text/turtle');
    await expect(isEmpty()).resolves.toBe(true);
    await put('alice/.acl', '<b/>', 'application/xml');
    await expect(isEmpty()).resolves.toBe(true);
    await put('alice/note', 'Hello');
    await expect(isEmpty()).resolves.toBe(false);
  });

  it('name all members in the metadata of the server\'s own containers.', async(): Promise<void> => {
    await put('.internal/setup/one', '{}', 'application/json');
    await put('.internal/setup/two', '{}', 'application/json');
    const { data, metadata } = await store.getRepresentation({ path: `${base}.internal/setup/` }, {});
    data.destroy();
    expect(metadata.getAll(LDP.terms.contains)).toHaveLength(2);
  });

  it('are left to the server if another store has some of its resources.', async(): Promise<void> => {
    const { storage } = endless();
    const other = new ListedContainersStore({
      source: backend,
      storage: { ...storage, lists: (): boolean => false },
      backend,
      auxiliaryStrategy,
    });
    await put('alice/note', 'one');
    const before = await quadsOf(other, container.path);
    expect(before).toEqual(await quadsOf(backend, container.path));
  });

  it('are read as they are sent, and no further.', async(): Promise<void> => {
    const { counts, storage } = endless();
    const streamed = new ListedContainersStore({ source: backend, storage, backend, auxiliaryStrategy });
    const { data } = await streamed.getRepresentation(container, {});
    expect(counts).toEqual({ ended: 0, read: 0 });
    await once(data, 'readable');
    expect(data.read()).toBeDefined();
    expect(counts.read).toBeLessThanOrEqual(1000);
    data.destroy();
    await once(data, 'close');
    await new Promise(setImmediate);
    expect(counts.ended).toBe(1);
  });
});

interface Counts {
  read: number;
  ended: number;
}

/** A storage with a container that has more members than fit into memory. */
function endless(): { storage: ListingStorage; counts: Counts } {
  const counts = { read: 0, ended: 0 };
  async function* members(): AsyncIterableIterator<ListedMember> {
    try {
      for (;;) {
        counts.read += 1;
        yield { identifier: { path: `${container.path}${counts.read}` }, modified: new Date(0), size: 1 };
      }
    } finally {
      counts.ended += 1;
    }
  }
  const storage: Partial<ListingStorage> = {
    lists: (): boolean => true,
    findListing: async(): Promise<ListingState> => ({ version: 'v', modified: new Date(0) }),
    getMetadata: async(): Promise<RepresentationMetadata> => new RepresentationMetadata(container),
    listMembers: members,
  };
  return { storage: storage as ListingStorage, counts };
}

/** All statements, as lines. */
async function quadsOf(store: ResourceStore, path: string): Promise<string[]> {
  const { data, metadata } = await store.getRepresentation({ path }, { type: { [INTERNAL_QUADS]: 1 }});
  expect(metadata.contentType).toBe(INTERNAL_QUADS);
  return [ ...await readableToQuads(data) ]
    .map(({ subject, predicate, object, graph }: Quad): string =>
      [ subject, predicate, object, graph ].map(({ value }): string => value).join(' '))
    .sort();
}
