/* eslint jest/no-standalone-expect: [ error, { additionalTestBlockFunctions: [ itHere ] } ] */
import { existsSync } from 'node:fs';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { guardStream, NotFoundHttpError, RepresentationMetadata } from '@solid/community-server';
import { DurableFileDataAccessor } from '../../../../src/server/files/DurableFileDataAccessor';
import { FileListings } from '../../../../src/server/files/FileListings';
import { IndexedFileMapper } from '../../../../src/server/files/IndexedFileMapper';
import { ValueFiles } from '../../../../src/server/files/ValueFiles';
import { changingValues } from '../../../../src/server/values/ValueChange';
import { clockAhead } from '../../../support/clockAhead';
import { letTimePass } from '../../../support/letTimePass';
import { removeFolder, temporaryFolder } from '../../../support/world';

/** Calls of the file system that fail: the first of them, and how many. */
interface Failing {
  code: string;
  /** Which of the calls fails first, from 1. */
  at: number;
  /** Fails all from there on. */
  isLasting: boolean;
  calls: string[];
}

const failing: Failing = { code: 'EIO', at: 0, isLasting: false, calls: []};

/** Fails the call if it is one of those. */
function pass(call: string): void {
  const { at, calls, code, isLasting } = failing;
  calls.push(call);
  if (at > 0 && (isLasting ? calls.length >= at : calls.length === at)) {
    throw Object.assign(new Error(`${code}: ${call}`), { code, syscall: call });
  }
}

/** End of the paths of files and folders that cannot be examined. */
let unreadable: string | undefined;
const unreadableError = Object.assign(new Error('EIO: i/o error, stat'), { code: 'EIO' });

jest.mock<typeof import('node:fs')>('node:fs', (): typeof import('node:fs') => {
  const actual = jest.requireActual<typeof import('node:fs')>('node:fs');
  const { statSync: examine } = actual;
  return { ...actual, statSync: ((...args: Parameters<typeof examine>): unknown => {
    if (unreadable !== undefined && String(args[0]).endsWith(unreadable)) {
      throw unreadableError;
    }
    return Reflect.apply(examine, actual, args);
  }) as typeof examine };
});

jest.mock<typeof import('node:fs/promises')>('node:fs/promises', (): typeof import('node:fs/promises') => {
  const actual = jest.requireActual<typeof import('node:fs/promises')>('node:fs/promises');
  const calls = [ 'mkdir', 'readdir', 'readFile', 'rename', 'rm', 'rmdir', 'unlink', 'writeFile' ] as const;
  function watched(call: (typeof calls)[number]): unknown {
    return async(...args: unknown[]): Promise<unknown> => {
      pass(call);
      return (actual[call] as (...all: unknown[]) => Promise<unknown>)(...args);
    };
  }
  async function open(...args: Parameters<typeof actual.open>): ReturnType<typeof actual.open> {
    pass('open');
    const file = await actual.open(...args);
    const sync = file.sync.bind(file);
    file.sync = async(): Promise<void> => {
      pass('fsync');
      return sync();
    };
    return file;
  }
  return { ...actual, ...Object.fromEntries(calls.map((call): [string, unknown] => [ call, watched(call) ])), open };
});

/** A file that can be opened but not read, on Linux; elsewhere the test is skipped. */
const unreadableFile = '/proc/self/mem';
const itHere = existsSync(unreadableFile) ? it : it.skip;
const base = 'http://localhost:3000/';
const note = { path: `${base}alice/note` };
const container = { path: `${base}alice/box/` };

/** A document; nothing when there is none. */
type Content = [type: string, body: string] | undefined;

const changes: [string, Content, Content][] = [
  [ 'is made', undefined, [ 'text/plain', 'new' ]],
  [ 'is made with a description', undefined, [ 'application/x-odd', 'new' ]],
  [ 'is replaced', [ 'text/plain', 'old' ], [ 'text/plain', 'new' ]],
  [ 'is replaced with its description', [ 'application/x-odd', 'old' ], [ 'application/x-other', 'new' ]],
  [ 'gets a type of another extension', [ 'text/plain', 'old' ], [ 'application/json', '{}' ]],
  [ 'gets a type without an extension', [ 'text/plain', 'old' ], [ 'application/x-odd', 'new' ]],
  [ 'loses a type without an extension', [ 'application/x-odd', 'old' ], [ 'text/plain', 'new' ]],
  [ 'is removed', [ 'text/plain', 'old' ], undefined ],
  [ 'is removed with its description', [ 'application/x-odd', 'old' ], undefined ],
];

const ways: [string, Pick<Failing, 'code' | 'isLasting'>][] = [
  [ 'has no free file handle at any step', { code: 'EMFILE', isLasting: false }],
  [ 'fails at any step', { code: 'EIO', isLasting: false }],
  [ 'becomes read-only at any step', { code: 'EROFS', isLasting: true }],
];

/** Makes a change, of which one step fails. Returns its error. */
async function failIn(step: Pick<Failing, 'at' | 'code' | 'isLasting'>, change: () => Promise<unknown>):
Promise<unknown> {
  Object.assign(failing, step, { calls: []});
  try {
    await change();
  } catch (error: unknown) {
    return error;
  } finally {
    failing.at = 0;
  }
}

/** Steps of a change that can fail: for EMFILE, those that take a handle. */
async function stepsOf(code: string, change: () => Promise<unknown>): Promise<number[]> {
  failing.calls = [];
  await change();
  return failing.calls.flatMap((call, index): number[] =>
    code !== 'EMFILE' || [ 'open', 'readdir', 'readFile', 'writeFile' ].includes(call) ? [ index + 1 ] : []);
}

describe.each(ways)('Files on a disk that %s:', (_, { code, isLasting }): void => {
  let root: string;
  let accessor: DurableFileDataAccessor;

  beforeEach(async(): Promise<void> => {
    root = await temporaryFolder();
    accessor = new DurableFileDataAccessor(new IndexedFileMapper(base, root), root, '/.internal/tempFiles/');
    const alice = { path: `${base}alice/` };
    await accessor.writeContainer(alice, new RepresentationMetadata(alice));
  });

  afterEach(async(): Promise<void> => removeFolder(root));

  async function write(content: Content): Promise<void> {
    if (content === undefined) {
      await accessor.deleteResource(note);
    } else {
      const [ type, body ] = content;
      const metadata = new RepresentationMetadata(note, type);
      await accessor.writeDocument(note, guardStream(Readable.from([ body ])), metadata);
    }
  }

  async function read(): Promise<Content> {
    try {
      const { contentType } = await accessor.getMetadata(note);
      return [ contentType!, (await (await accessor.getData(note)).toArray()).map(String).join('') ];
    } catch (error: unknown) {
      expect(NotFoundHttpError.isInstance(error)).toBe(true);
    }
  }

  async function reset(content: Content): Promise<void> {
    await write([ 'text/plain', '' ]);
    await write(undefined);
    if (content) {
      await write(content);
    }
  }

  async function filesOf(folder: string): Promise<string[]> {
    return (await readdir(join(root, folder))).sort();
  }

  it.each(changes)('a document that %s is whole, and as before if that is refused.', async(__, before, after):
  Promise<void> => {
    await reset(before);
    const filesBefore = await filesOf('alice');
    const steps = await stepsOf(code, async(): Promise<void> => write(after));
    const filesAfter = await filesOf('alice');
    for (const at of steps) {
      await reset(before);
      const error = await failIn({ at, code, isLasting }, async(): Promise<void> => write(after));
      const call = `${at} of ${failing.calls.join(' ')}`;
      const found = await read();
      const isMade = JSON.stringify(found) === JSON.stringify(after);
      // Some steps cannot be taken back, but none of those needs a handle.
      const isNew = error === undefined || (isMade && code !== 'EMFILE');
      expect({ call, found }).toEqual({ call, found: isNew ? after : before });
      // Nothing can be tidied while nothing can be written.
      const left = isLasting ? [] : [ await filesOf('alice'), await filesOf('.internal/tempFiles') ];
      expect({ call, left }).toEqual({ call, left: isLasting ? [] : [ isNew ? filesAfter : filesBefore, []]});
      // It works again.
      await write(after ?? [ 'text/plain', 'again' ]);
      await expect(read()).resolves.toEqual(after ?? [ 'text/plain', 'again' ]);
    }
  });

  it('a container is made with its description or not at all.', async(): Promise<void> => {
    async function make(): Promise<void> {
      const metadata = new RepresentationMetadata(container, { 'http://www.w3.org/2000/01/rdf-schema#comment': 'box' });
      await accessor.writeContainer(container, metadata);
    }
    const steps = await stepsOf(code, make);
    for (const at of steps) {
      await accessor.deleteResource(container);
      const error = await failIn({ at, code, isLasting }, make);
      const call = `${at} of ${failing.calls.join(' ')}`;
      const isThere = (await filesOf('alice')).includes('box');
      const isDescribed = isThere && (await filesOf('alice/box')).includes('.meta');
      // Where nothing can be removed, it stays.
      expect({ call, isWhole: isThere === isDescribed || isLasting }).toEqual({ call, isWhole: true });
      expect({ call, isMade: isThere || error !== undefined }).toEqual({ call, isMade: true });
      await make();
    }
  });

  it('a container is removed with its access rules or not at all.', async(): Promise<void> => {
    async function make(): Promise<void> {
      await accessor.writeContainer(container, new RepresentationMetadata(container));
      const rules = { path: `${container.path}.acl` };
      const turtle = new RepresentationMetadata(rules, 'text/turtle');
      await accessor.writeDocument(rules, guardStream(Readable.from([ '' ])), turtle);
    }
    async function remove(): Promise<void> {
      await accessor.deleteResource(container);
    }
    await make();
    const steps = await stepsOf(code, remove);
    for (const at of steps) {
      await make();
      await failIn({ at, code, isLasting }, remove);
      const call = `${at} of ${failing.calls.join(' ')}`;
      const isThere = (await filesOf('alice')).includes('box');
      const files = isThere ? await filesOf('alice/box') : [];
      expect({ call, files }).toEqual({ call, files: isThere ? [ '.acl' ] : []});
    }
  });

  it('values change together or not at all.', async(): Promise<void> => {
    const values = new ValueFiles({
      mapper: new IndexedFileMapper(base, root),
      rootFilePath: root,
      baseUrl: base,
      container: '.internal/accounts/',
    });
    async function set(one: string, two?: string): Promise<void> {
      await changingValues(async(): Promise<void> => {
        await values.set('one', one);
        await (two === undefined ? values.delete('two') : values.set('two', two));
      });
    }
    async function get(): Promise<unknown[]> {
      // Completes what was interrupted.
      await changingValues(async(): Promise<unknown> => values.set('three', '3'));
      return [ await values.get('one'), await values.get('two') ];
    }
    await set('old', 'old');
    const steps = await stepsOf(code, async(): Promise<void> => set('new'));
    for (const at of steps) {
      await set('old', 'old');
      const error = await failIn({ at, code, isLasting }, async(): Promise<void> => set('new'));
      const found = { call: `${at} of ${failing.calls.join(' ')}`, values: await get() };
      const isNew = error === undefined || (code !== 'EMFILE' && found.values[0] === 'new');
      expect(found).toEqual({ ...found, values: isNew ? [ 'new', undefined ] : [ 'old', 'old' ]});
    }
  });
});

describe('Files on a disk that cannot be examined', (): void => {
  const alice = { path: `${base}alice/` };
  let root: string;
  let mapper: IndexedFileMapper;

  beforeEach(async(): Promise<void> => {
    root = await temporaryFolder();
    mapper = new IndexedFileMapper(base, root);
  });

  afterEach(async(): Promise<void> => {
    unreadable = undefined;
    await removeFolder(root);
  });

  it('are not taken for absent.', async(): Promise<void> => {
    const accessor = new DurableFileDataAccessor(mapper, root, '/.internal/tempFiles/');
    await accessor.writeContainer(alice, new RepresentationMetadata(alice));
    unreadable = 'alice/';
    await expect(accessor.writeContainer(alice, new RepresentationMetadata(alice))).rejects.toBe(unreadableError);
    unreadable = 'alice/.meta';
    await expect(accessor.getMetadata(alice)).rejects.toBe(unreadableError);
  });

  it('are not left out of a listing, but for links that lead nowhere.', async(): Promise<void> => {
    const listings = new FileListings(mapper, clockAhead);
    async function list(): Promise<string[]> {
      const members = [];
      for await (const { identifier } of listings.listMembers(alice)) {
        members.push(identifier.path);
      }
      return members;
    }
    await mkdir(join(root, 'alice'));
    await writeFile(join(root, 'alice/note.txt'), '');
    await symlink(join(root, 'elsewhere'), join(root, 'alice/link.txt'));
    unreadable = 'link.txt';
    await expect(list()).resolves.toEqual([ `${alice.path}note.txt` ]);
    await expect(listings.findState(alice, [])).resolves.toBeDefined();
    unreadable = 'note.txt';
    await expect(list()).rejects.toBe(unreadableError);
    letTimePass(join(root, 'alice'));
    await writeFile(join(root, 'alice/other.txt'), '');
    await expect(listings.findState(alice, [])).rejects.toBe(unreadableError);
  });

  it('are not left out when they are moved.', async(): Promise<void> => {
    const accessor = new DurableFileDataAccessor(mapper, root, '/.internal/tempFiles/');
    async function list(): Promise<string[]> {
      const members = [];
      for await (const { identifier } of accessor.getChildren(alice)) {
        members.push(identifier.value);
      }
      return members;
    }
    await mkdir(join(root, 'alice'));
    await writeFile(join(root, 'alice/note.txt'), '');
    await expect(list()).resolves.toEqual([ `${alice.path}note.txt` ]);
    unreadable = 'note.txt';
    await expect(list()).rejects.toBe(unreadableError);
  });

  itHere('are refused before any byte is sent.', async(): Promise<void> => {
    const accessor = new DurableFileDataAccessor(mapper, root, '/.internal/tempFiles/');
    await mkdir(join(root, 'alice'));
    await symlink(unreadableFile, join(root, 'alice/note'));
    await expect(accessor.getData(note)).rejects.toThrow('EIO');
  });
});
