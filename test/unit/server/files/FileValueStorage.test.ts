import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KeyValueStorage } from '@solid/community-server';
import {
  ChainedConverter,
  ComposedAuxiliaryStrategy,
  DataAccessorBasedStore,
  EqualReadWriteLocker,
  FileDataAccessor,
  JsonResourceStorage,
  MaxKeyLengthStorage,
  MemoryResourceLocker,
  QuadToRdfConverter,
  RdfToQuadConverter,
  RepresentationConvertingStore,
  SingleRootIdentifierStrategy,
  SuffixAuxiliaryIdentifierStrategy,
} from '@solid/community-server';
import { AtomicWritesDataAccessor } from '../../../../src/server/files/AtomicWritesDataAccessor';
import type { FileValueStorageArgs } from '../../../../src/server/files/FileValueStorage';
import { FileValueStorage } from '../../../../src/server/files/FileValueStorage';
import { IndexedFileMapper } from '../../../../src/server/files/IndexedFileMapper';
import { changingValues } from '../../../../src/server/values/ValueChange';
import { removeFolder, temporaryFolder } from '../../../support/world';
import { array, assert, asyncProperty, constantFrom, jsonValue, record } from '../../../support/properties';

const base = 'http://localhost:3000/';
const keys = [
  'setup/version',
  'accounts/data/one',
  'accounts/data/two.json',
  'accounts/index/webId/http%3A%2F%2Flocalhost%3A3000%2Fcaf%C3%A9%23me',
  'accounts/index/a b',
  'accounts/index',
  'top',
  `long/${'x'.repeat(200)}`,
];

/** All entries, by key. */
async function entriesOf(storage: KeyValueStorage<string, unknown>): Promise<Record<string, unknown>> {
  const entries: Record<string, unknown> = {};
  for await (const [ key, value ] of storage.entries()) {
    entries[key] = value;
  }
  return entries;
}

/** Returns the result of a storage, or its error. */
async function outcome(work: Promise<unknown>): Promise<unknown> {
  return work.catch((): string => 'refused');
}

describe('FileValueStorage', (): void => {
  let root: string;
  let stock: KeyValueStorage<string, unknown>;
  let direct: KeyValueStorage<string, unknown>;
  let given: FileValueStorageArgs;
  let storage: FileValueStorage;
  /** A storage on a server that may store resources elsewhere than in files. */
  let elsewhere: FileValueStorage;

  beforeEach(async(): Promise<void> => {
    root = await temporaryFolder();
    const mapper = new IndexedFileMapper(base, root);
    const auxiliary = new ComposedAuxiliaryStrategy(new SuffixAuxiliaryIdentifierStrategy('.acl'));
    const meta = new ComposedAuxiliaryStrategy(new SuffixAuxiliaryIdentifierStrategy('.meta'));
    const accessor = new AtomicWritesDataAccessor(new FileDataAccessor(mapper), mapper, root, '/.internal/tempFiles/');
    const files = new DataAccessorBasedStore(
      accessor,
      new SingleRootIdentifierStrategy(base),
      auxiliary,
      meta,
    );
    const converter = new ChainedConverter([ new RdfToQuadConverter(), new QuadToRdfConverter() ]);
    const store = new RepresentationConvertingStore(files, meta, { outConverter: converter });
    const source = new JsonResourceStorage(store, base, '/.internal/') as KeyValueStorage<string, unknown>;
    stock = new MaxKeyLengthStorage(source as ConstructorParameters<typeof MaxKeyLengthStorage>[0]);
    const args = { source, mapper, accessor, rootFilePath: root, baseUrl: base, container: '/.internal/' };
    given = { ...args, backend: files };
    storage = new FileValueStorage(given);
    elsewhere = new FileValueStorage({ ...args, mapper: new IndexedFileMapper(base, '/nowhere'), backend: store });
    direct = new MaxKeyLengthStorage(storage as unknown as ConstructorParameters<typeof MaxKeyLengthStorage>[0]);
  });

  afterEach(async(): Promise<void> => {
    await removeFolder(root);
  });

  it('stores values where the server stores them, and finds existing ones.', async(): Promise<void> => {
    const step = record({
      by: constantFrom('direct', 'stock'),
      does: constantFrom('delete', 'set', 'set'),
      key: constantFrom(...keys.filter((key): boolean => key !== 'accounts/index')),
      value: jsonValue({ maxDepth: 2 }),
    });
    await assert(asyncProperty(array(step, { maxLength: 12 }), async(steps): Promise<void> => {
      for (const { by, does, key, value } of steps) {
        const writer = by === 'stock' ? stock : direct;
        await (does === 'set' ? writer.set(key, value) : writer.delete(key));
        for (const each of keys) {
          await expect(outcome(direct.get(each))).resolves.toEqual(await outcome(stock.get(each)));
          await expect(outcome(direct.has(each))).resolves.toEqual(await outcome(stock.has(each)));
        }
        await expect(entriesOf(direct)).resolves.toEqual(await entriesOf(stock));
      }
    }), { numRuns: 6 });
  });

  it('writes the same files as the server.', async(): Promise<void> => {
    const values = { nested: [ 1, 'é', null ]};
    await stock.set(keys[3], values);
    const [ file ] = await readdir(join(root, '.internal/accounts/index/webId'));
    const text = await readFile(join(root, '.internal/accounts/index/webId', file), 'utf8');
    await direct.delete(keys[3]);
    await direct.set(keys[3], values);
    await expect(readdir(join(root, '.internal/accounts/index/webId'))).resolves.toEqual([ file ]);
    await expect(readFile(join(root, '.internal/accounts/index/webId', file), 'utf8')).resolves.toBe(text);
    await expect(readdir(join(root, '.internal/tempFiles'))).resolves.toEqual([]);
  });

  it('never returns part of a value, or none, while one is replaced.', async(): Promise<void> => {
    const long = 'x'.repeat(100_000);
    await storage.set('a', `0${long}`);
    const writes = Promise.all(Array.from({ length: 50 }, async(_, index): Promise<unknown> =>
      storage.set('a', `${index}${long}`)));
    const seen = await Promise.all(Array.from({ length: 50 }, async(): Promise<unknown> => storage.get('a')));
    await writes;
    expect(seen.every((value): boolean => typeof value === 'string' && value.endsWith(long))).toBe(true);
  });

  it('leaves everything to the server if resources may be stored elsewhere.', async(): Promise<void> => {
    await elsewhere.set('a', 1);
    await expect(stock.has('a')).resolves.toBe(true);
    await expect(elsewhere.get('a')).resolves.toBe(1);
    await expect(elsewhere.has('a')).resolves.toBe(true);
    await expect(entriesOf(elsewhere)).resolves.toEqual({ a: 1 });
    await expect(elsewhere.delete('a')).resolves.toBe(true);
    await expect(stock.has('a')).resolves.toBe(false);
  });

  it('gives way to other work while it lists many values.', async(): Promise<void> => {
    await Promise.all(Array.from({ length: 4 }, async(_, index): Promise<unknown> =>
      storage.set(`folder/${index}`, index)));
    let othersRan = 0;
    const ranBefore: number[] = [];
    for await (const [ key ] of storage.entries()) {
      expect(key).toMatch(/^folder\/\d$/u);
      if (ranBefore.push(othersRan) === 1) {
        setImmediate((): void => {
          othersRan += 1;
        });
        const since = performance.now();
        while (performance.now() - since < 10) {
          // Blocks the process for longer than it may.
        }
      }
    }
    expect(ranBefore).toEqual([ 0, 1, 1, 1 ]);
  });

  it('returns whether there was anything to delete.', async(): Promise<void> => {
    await storage.set('a', 1);
    await expect(storage.delete('a')).resolves.toBe(true);
    await expect(storage.delete('a')).resolves.toBe(false);
    await expect(storage.delete('none/at/all')).resolves.toBe(false);
  });

  it('ignores files without a value.', async(): Promise<void> => {
    await storage.set('a', 1);
    await writeFile(join(root, '.internal/broken$.json'), '{');
    await writeFile(join(root, '.internal/notes.txt'), 'text');
    await expect(entriesOf(storage)).resolves.toEqual({ a: 1 });
    await expect(storage.get('broken')).rejects.toThrow('JSON');
  });

  it('leaves nothing behind if a value cannot be moved to its place.', async(): Promise<void> => {
    await mkdir(join(root, '.internal/a$.json/full'), { recursive: true });
    await expect(storage.set('a', 1)).rejects.toThrow('directory');
    await expect(readdir(join(root, '.internal/tempFiles'))).resolves.toEqual([]);
  });

  it('loses no simultaneous change of several processes, and leaves no drafts.', async(): Promise<void> => {
    const locker = new EqualReadWriteLocker(new MemoryResourceLocker());
    const processes = [ 1, 2, 3 ].map((): FileValueStorage => new FileValueStorage({ ...given, locker }));
    await Promise.all(Array.from({ length: 8 }).map(async(...[ , index ]): Promise<void> =>
      changingValues(async(): Promise<void> => {
        const values = processes[index % processes.length];
        const list = await values.get('accounts/list') as number[] | undefined ?? [];
        await values.set('accounts/list', [ ...list, index ]);
        await values.set(`accounts/of/${index}`, list.length);
        await values.delete('accounts/gone');
      })));
    const list = await storage.get('accounts/list') as number[];
    expect([ ...list ].sort((left, right): number => left - right)).toEqual([ ...list.keys() ]);
    expect(list).toHaveLength(8);
    await expect(Promise.all(list.map(async(index): Promise<unknown> => storage.get(`accounts/of/${index}`))))
      .resolves.toEqual([ ...list.keys() ]);
    await expect(readdir(join(root, '.internal/tempFiles'))).resolves.toEqual([]);
  });
});
