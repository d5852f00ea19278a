/* eslint-disable @typescript-eslint/explicit-function-return-type -- the type of the table of deeds says it */
import { mkdir, readdir, rename, rm, stat, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import {
  BasicETagHandler,
  BasicRepresentation,
  ComposedAuxiliaryStrategy,
  DataAccessorBasedStore,
  ExtensionBasedMapper,
  FileDataAccessor,
  SingleRootIdentifierStrategy,
  SuffixAuxiliaryIdentifierStrategy,
} from '@solid/community-server';
import type { PodResource } from '../../../../src/platform/PodResource';
import { CssPodGateway } from '../../../../src/wiring/pods/CssPodGateway';
import { AtomicWritesDataAccessor } from '../../../../src/server/files/AtomicWritesDataAccessor';
import { PodFiles } from '../../../../src/server/files/PodFiles';
import { removeFolder, temporaryFolder } from '../../../support/world';
import { array, assert, asyncProperty, constantFrom, nat, record } from '../../../support/properties';

const base = 'http://localhost:3000/';
const names = [ 'a', 'b', 'report.ttl', 'café' ];
const types = [ 'application/ld+json', 'text/turtle', 'text/plain', 'application/x-of-nobody' ];

/** A resource in comparable form. */
interface Seen {
  contentType: string;
  etag: string;
  modified: Date;
  size: number;
  text: string;
}

/** An action on a resource in `alice/files/`, or on that folder. */
interface Step {
  does: string;
  name: string;
  /** Size of what is written. */
  type: string;
  /** Power of ten. */
  size: number;
}

function uriOf(name: string): string {
  return `${base}alice/files/${encodeURIComponent(name)}`;
}

const acl = new ComposedAuxiliaryStrategy(new SuffixAuxiliaryIdentifierStrategy('.acl'));
const meta = new ComposedAuxiliaryStrategy(new SuffixAuxiliaryIdentifierStrategy('.meta'));
const strategy = new SingleRootIdentifierStrategy(base);

describe('PodFiles', (): void => {
  let root: string;
  let folder: string;
  let store: DataAccessorBasedStore;
  let stock: CssPodGateway;
  let files: PodFiles;
  let direct: CssPodGateway;
  let written = 0;

  /** Files replaced atomically, as in the presets. */
  function accessorOf(mapper: ExtensionBasedMapper): AtomicWritesDataAccessor {
    return new AtomicWritesDataAccessor(new FileDataAccessor(mapper), mapper, root, '/.internal/tempFiles/');
  }

  beforeEach(async(): Promise<void> => {
    root = await temporaryFolder();
    folder = join(root, 'alice/files');
    await mkdir(folder, { recursive: true });
    const mapper = new ExtensionBasedMapper(base, root);
    const accessor = accessorOf(mapper);
    store = new DataAccessorBasedStore(accessor, strategy, acl, meta);
    const eTagHandler = new BasicETagHandler();
    stock = new CssPodGateway(store, meta, eTagHandler);
    // Its clock is ahead, so that it trusts its cache at once.
    files = new PodFiles({ mapper, accessor, backend: store, eTagHandler }, (): Date => new Date(Date.now() + 60_000));
    direct = new CssPodGateway(store, meta, eTagHandler, files);
  });

  afterEach(async(): Promise<void> => {
    await removeFolder(root);
  });

  async function write(name: string, text: string, type = 'application/ld+json'): Promise<void> {
    const identifier = { path: uriOf(name) };
    await store.setRepresentation(identifier, new BasicRepresentation(text, identifier, type));
  }

  const deeds: Record<string, (deed: Step & { file: string; text: string }) => Promise<unknown>> = {
    write: async({ name, size, text, type }) => write(name, text.repeat(10 ** size), type),
    remove: async({ name }) => direct.remove(uriOf(name)),
    describe: async({ file, name, text }) => {
      await writeFile(`${file}.meta`, `<${uriOf(name)}> <https://example.org/p> "${text}".`);
      await touch(`${file}.meta`);
    },
    undescribe: async({ file }) => rm(`${file}.meta`, { force: true }),
    touch: async({ name }) => {
      const found = (await readdir(folder)).filter((entry): boolean => entry.startsWith(name));
      await Promise.all(found.map(async entry => touch(join(folder, entry))));
    },
    empty: async({ file }) => ignoreErrors(truncate(`${file}$.txt`)),
    addAnother: async({ file, text }) => writeFile(`${file}$.csv`, text),
    link: async({ file, text }) => {
      await writeFile(join(root, 'elsewhere'), text);
      await ignoreErrors(symlink(join(root, 'elsewhere'), `${file}$.html`));
    },
    replaceFolder: async({ text }) => {
      await rename(folder, join(root, `before ${text}`));
      await mkdir(folder);
    },
  };

  const step = record<Step>({
    does: constantFrom(...Object.keys(deeds)),
    name: constantFrom(...names),
    type: constantFrom(...types),
    size: nat(5),
  });

  /** Gives a file a distinct time: the server's times are in seconds. */
  async function touch(file: string): Promise<void> {
    const at = (Date.now() / 1000) + (written * 10);
    await utimes(file, at, at);
  }

  async function take(taken: Step): Promise<void> {
    written += 1;
    await deeds[taken.does]({ ...taken, file: join(folder, taken.name), text: `${written} ` });
    await timePasses();
  }

  /** Waits until a change of the folder, or of any file in it, would show in its time. */
  async function timePasses(): Promise<void> {
    const places = [ folder, ...(await readdir(folder)).map((entry): string => join(folder, entry)) ];
    const times = await Promise.all(places.map(async(path): Promise<number> => (await stat(path)).ctimeMs));
    const ctimeMs = Math.max(...times);
    const probe = join(root, 'probe');
    do {
      await writeFile(probe, '');
    } while ((await stat(probe)).ctimeMs <= ctimeMs);
  }

  it('returns what the store returns, whatever happens to the files.', async(): Promise<void> => {
    await assert(asyncProperty(array(step, { minLength: 1, maxLength: 8 }), async(steps): Promise<void> => {
      for (const one of steps) {
        await take(one);
        for (const name of names) {
          const expected = await seen(await stock.find(uriOf(name)));
          await expect(seen(await direct.find(uriOf(name)))).resolves.toEqual(expected);
          await expect(seen(await direct.find(uriOf(name)))).resolves.toEqual(expected);
        }
      }
    }), { numRuns: 100 });
  });

  it('reads ordinary resources itself.', async(): Promise<void> => {
    await write('a', '{}');
    await timePasses();
    await expect(files.find(uriOf('a'))).resolves.toMatchObject({ contentType: 'application/ld+json', size: 2 });
    await write('a', '{"new":true}');
    await expect(seen(await files.find(uriOf('a')))).resolves.toMatchObject({ text: '{"new":true}' });
  });

  it('streams large resources.', async(): Promise<void> => {
    const text = 'x'.repeat(3_000_000);
    await write('large', text, 'text/plain');
    const found = await files.find(uriOf('large'));
    expect(Buffer.isBuffer(found?.body)).toBe(false);
    await expect(seen(found)).resolves.toMatchObject({ size: 3_000_000, text });
  });

  it.each([ 'nothing', 'a folder', 'a description', 'an unknown type', 'an empty file', 'a pipe' ])(
    'leaves %s to the store.',
    async(what): Promise<void> => {
      const type = what === 'an unknown type' ? 'application/x-y' : 'text/plain';
      await write('a', what === 'an empty file' ? '' : 'x', type);
      if (what === 'a description') {
        await writeFile(join(folder, 'a.meta'), '');
      }
      if (what === 'a folder' || what === 'nothing' || what === 'a pipe') {
        await rm(join(folder, 'a$.txt'));
      }
      if (what === 'a folder') {
        await mkdir(join(folder, 'a'));
      }
      if (what === 'a pipe') {
        await symlink('/dev/null', join(folder, 'a$.txt'));
      }
      await expect(files.find(uriOf('a'))).resolves.toBeUndefined();
    },
  );

  it('leaves everything to the store of a server that stores resources elsewhere.', async(): Promise<void> => {
    await write('a', 'x');
    const mapper = new ExtensionBasedMapper(base, root);
    const accessor = accessorOf(mapper);
    const elsewhere = new PodFiles({ mapper, accessor, backend: store, eTagHandler: new BasicETagHandler() });
    await expect(elsewhere.find(uriOf('a'))).resolves.toBeUndefined();
  });

  it('does not cache paths in a folder that has just changed.', async(): Promise<void> => {
    const mapper = new ExtensionBasedMapper(base, root);
    const accessor = accessorOf(mapper);
    const backend = new DataAccessorBasedStore(accessor, strategy, acl, meta);
    const begun = new Date();
    const careful = new PodFiles({ mapper, accessor, backend, eTagHandler: new BasicETagHandler() }, (): Date => begun);
    const mapped = jest.spyOn(mapper, 'mapUrlToFilePath');
    await write('a', 'x');
    await careful.find(uriOf('a'));
    const calls = mapped.mock.calls.length;
    await careful.find(uriOf('a'));
    expect(mapped).toHaveBeenCalledTimes(2 * calls);
  });
});

async function seen(found: PodResource | undefined): Promise<Seen | undefined> {
  if (!found) {
    return;
  }
  const { body, ...others } = found;
  return { ...others, text: Buffer.isBuffer(body) ? body.toString() : await textOf(body) };
}

async function textOf(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) {
    chunks.push(Buffer.from(chunk as Buffer));
  }
  return Buffer.concat(chunks).toString();
}

async function ignoreErrors(work: Promise<unknown>): Promise<void> {
  await work.catch((): undefined => undefined);
}
