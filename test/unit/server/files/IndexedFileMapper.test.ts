import { mkdir, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ExtensionBasedMapper } from '@solid/community-server';
import type { ResourceLink } from '@solid/community-server';
import { FolderIndex } from '../../../../src/server/files/FolderIndex';
import { IndexedFileMapper } from '../../../../src/server/files/IndexedFileMapper';
import { clockAhead } from '../../../support/clockAhead';
import { removeFolder, temporaryFolder } from '../../../support/world';
import { array, assert, asyncProperty, constantFrom, record } from '../../../support/properties';

const base = 'http://localhost:3000/';
const names = [ 'a', 'a.ttl', 'a$', 'a$.b-c', '.a', 'café', 'a b', 'a\nb', 'A', 'ab', 'a.acl', '.meta' ];
const marks = [ '', '$.ttl', '$.jsonld', '$.unknown', '$.meta', '$.', '$.x\ny', '$.t t', '$.b$.c', '$.TTL', '.json' ];
const folders = [ '', 'x/', 'x/y/', 'a/' ];
const contentTypes = [ undefined, 'text/turtle', 'application/ld+json', 'application/x-of-nobody', 'text/html' ];

/** An action of another process on files. */
interface Step {
  does: 'folder' | 'link' | 'move' | 'none' | 'remove' | 'write';
  folder: string;
  name: string;
  mark: string;
  target: string;
}

const step = record<Step>({
  does: constantFrom<Step['does']>('folder', 'link', 'move', 'none', 'remove', 'write', 'write', 'write'),
  folder: constantFrom(...folders),
  name: constantFrom(...names),
  mark: constantFrom(...marks),
  target: constantFrom(...names.map((name): string => `${name}$.jsonld`), 'a', 'x/a', 'x', 'x/y/a$.ttl'),
});

/** Returns the mapped files; names that the server's own mapper refuses map to nothing. */
async function outcome(link: Promise<ResourceLink>): Promise<ResourceLink | string> {
  return link.catch((error: unknown): string =>
    String(error).replace(/^NotImplementedHttpError.*/u, 'NotFoundHttpError'));
}

async function changeTime(path: string): Promise<bigint | undefined> {
  return stat(path, { bigint: true }).then(({ ctimeNs }): bigint => ctimeNs, (): undefined => undefined);
}

async function expectSameLink(
  mapper: IndexedFileMapper,
  stock: ExtensionBasedMapper,
  question: Parameters<ExtensionBasedMapper['mapUrlToFilePath']>,
): Promise<void> {
  await expect(outcome(mapper.mapUrlToFilePath(...question))).resolves
    .toEqual(await outcome(stock.mapUrlToFilePath(...question)));
}

async function expectSame(mapper: IndexedFileMapper, stock: ExtensionBasedMapper): Promise<void> {
  for (const folder of folders) {
    for (const name of [ ...names.filter((text): boolean => !text.includes('\n')), 'a$.ttl' ]) {
      const identifier = { path: base + folder + encodeURIComponent(name) };
      await expectSameLink(mapper, stock, [ identifier, false ]);
      await expectSameLink(mapper, stock, [ identifier, true ]);
    }
  }
}

/** Changes a folder until its time differs. */
async function changeFrom(path: string, before: bigint): Promise<void> {
  await utimes(path, 1, 1);
  if (await changeTime(path) === before) {
    await changeFrom(path, before);
  }
}

describe('IndexedFileMapper', (): void => {
  let root: string;

  beforeEach(async(): Promise<void> => {
    root = await temporaryFolder();
  });

  afterEach(async(): Promise<void> => {
    await removeFolder(root);
  });

  async function take({ does, folder, name, mark, target }: Step): Promise<void> {
    const path = join(root, folder, name + mark);
    const deeds: Record<Step['does'], () => Promise<unknown>> = {
      folder: async(): Promise<unknown> => mkdir(path, { recursive: true }),
      link: async(): Promise<unknown> => symlink(join(root, target), path),
      move: async(): Promise<unknown> => rename(path, join(root, target)),
      none: async(): Promise<void> => {
        // Only reads
      },
      remove: async(): Promise<unknown> => rm(path, { recursive: true, force: true }),
      write: async(): Promise<unknown> => writeFile(path, name),
    };
    await deeds[does]().catch((): void => {
      // Impossible in this state.
    });
  }

  /** Waits until a change of the folder would give it another time: the time resolution of the file system. */
  async function letTimePass(): Promise<void> {
    for (const folder of folders) {
      const path = join(root, folder);
      const before = await changeTime(path);
      if (before !== undefined) {
        await changeFrom(path, before);
      }
    }
  }

  it('maps to the same files as the server, whatever another process does with them.', async(): Promise<void> => {
    await assert(asyncProperty(array(step, { maxLength: 10 }), async(steps): Promise<void> => {
      await rm(root, { recursive: true, force: true });
      await mkdir(join(root, 'x/y'), { recursive: true });
      const stock = new ExtensionBasedMapper(base, root);
      const mapper = new IndexedFileMapper(base, root);
      for (const each of steps) {
        await take(each);
        await expectSame(mapper, stock);
      }
    }), { numRuns: 12 });
  });

  it('does so from cached folders, too.', async(): Promise<void> => {
    await assert(asyncProperty(array(step, { maxLength: 10 }), async(steps): Promise<void> => {
      await rm(root, { recursive: true, force: true });
      await mkdir(join(root, 'x/y'), { recursive: true });
      const stock = new ExtensionBasedMapper(base, root);
      const mapper = new IndexedFileMapper(base, root, new FolderIndex({ now: clockAhead, maxFiles: 12 }));
      for (const each of steps) {
        await letTimePass();
        await take(each);
        await expectSame(mapper, stock);
      }
    }), { numRuns: 12 });
  });

  it('maps new documents, folders and internal resources as the server does.', async(): Promise<void> => {
    const stock = new ExtensionBasedMapper(base, root);
    const mapper = new IndexedFileMapper(base, root);
    await mkdir(join(root, '.internal/accounts'), { recursive: true });
    await writeFile(join(root, '.internal/accounts/kept$.json'), '{}');
    await writeFile(join(root, '.internal/accounts/named.json'), '{}');
    const internal = [ 'kept', 'named.json', 'named', 'none', 'kept.meta' ];
    const paths = [ ...names, ...internal.map((name): string => `.internal/accounts/${name}`), '', 'x/', '../x' ];
    for (const path of paths) {
      for (const contentType of contentTypes) {
        await expectSameLink(mapper, stock, [{ path: `${base}${path}` }, false, contentType ]);
        await expectSameLink(mapper, stock, [{ path: `http://elsewhere.example/${path}` }, false, contentType ]);
      }
    }
  });

  it('maps files to the same resources as the server.', async(): Promise<void> => {
    const stock = new ExtensionBasedMapper(base, root);
    const mapper = new IndexedFileMapper(base, root);
    for (const name of names) {
      for (const mark of marks) {
        await expect(mapper.mapFilePathToUrl(join(root, name + mark), false)).resolves
          .toEqual(await stock.mapFilePathToUrl(join(root, name + mark), false));
      }
    }
  });

  it('notices each of many changes in a row.', async(): Promise<void> => {
    const stock = new ExtensionBasedMapper(base, root);
    const mapper = new IndexedFileMapper(base, root);
    const identifier = { path: `${base}a` };
    for (let index = 0; index < 200; index += 1) {
      await expectSameLink(mapper, stock, [ identifier, false ]);
      await writeFile(join(root, 'a$.ttl'), '');
      await expectSameLink(mapper, stock, [ identifier, false ]);
      await rm(join(root, 'a$.ttl'));
    }
  });
});
