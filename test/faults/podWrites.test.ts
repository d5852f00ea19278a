import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { RepresentationMetadata } from '@solid/community-server';
import { DurableFileDataAccessor } from '../../src/server/files/DurableFileDataAccessor';
import { IndexedFileMapper } from '../../src/server/files/IndexedFileMapper';
import { cutPower } from './cutPower';
import type { Step } from './KillableServer';

const base = 'http://localhost:3000/';
const url = `${base}alice/note`;
const run = promisify(execFile);
const programs = join(__dirname, '../../scripts/faults');

/** A document of a pod; without members when it is to be removed. */
interface Content {
  type?: string;
  charset?: string;
  body?: string;
}

const text: Content = { type: 'text/plain', body: 'a text' };
const json: Content = { type: 'application/json', body: '{}' };
const odd: Content = { type: 'application/x-odd', body: 'odd' };
const other: Content = { type: 'application/x-other', body: 'other' };
const worded: Content = { type: 'text/plain', charset: 'utf-16', body: 'words' };
const none: Content = {};

const changes: [string, Content[], Content][] = [
  [ 'a document gets a type of another extension', [ text ], json ],
  [ 'a document gets a type without an extension', [ text ], odd ],
  [ 'a document loses a type without an extension', [ odd ], text ],
  [ 'a document changes from one such type to another', [ odd ], other ],
  [ 'a document gets a character set', [ text ], worded ],
  [ 'a document of another extension loses its character set', [ worded ], json ],
  [ 'a document of a type without an extension is made', [], odd ],
  [ 'a document is made where there was one', [ odd, none ], other ],
  [ 'a document of a type without an extension is removed', [ odd ], none ],
];

describe.each([ 'is killed', 'loses its power' ])('A server that %s before any step', (how): void => {
  let folder: string;

  beforeEach(async(): Promise<void> => {
    folder = await mkdtemp(join(tmpdir(), 'writes-'));
  });

  afterEach(async(): Promise<void> => {
    await rm(folder, { recursive: true });
  });

  /** Makes changes in a separate process. Returns copies of the folder before each step of the last one. */
  async function change(
    before: Content[],
    after: Content | { removed: string[]; rules: string },
  ): Promise<{ root: string; steps: Step[] }[]> {
    const root = join(folder, 'pods');
    const copies = join(folder, 'copies');
    await Promise.all([ join(root, 'alice'), copies ].map(async(path): Promise<unknown> =>
      mkdir(path, { recursive: true })));
    const words = JSON.stringify({ root, url, before, copies, ...'removed' in after ? after : { after }});
    await run(process.execPath, [ '--require', join(programs, 'steps.js'), join(programs, 'writePod.js'), words ]);
    const numbers = (await readdir(copies)).filter((name): boolean => name !== 'kept')
      .sort((one, two): number => Number(one) - Number(two));
    return Promise.all(numbers.map(async(number): Promise<{ root: string; steps: Step[] }> => {
      const copy = join(copies, number);
      const steps = (await readFile(join(copy, 'steps.json'), 'utf8')).replaceAll(root, join(copy, 'root'));
      return { root: join(copy, 'root'), steps: JSON.parse(steps) as Step[] };
    }));
  }

  it.each(changes)('of a change has either the old or the new content: %s.', async(_, before, after):
  Promise<void> => {
    const found: Content[] = [];
    for (const { root, steps } of await change(before, after)) {
      if (how === 'loses its power') {
        await cutPower(steps);
      }
      const accessor = new DurableFileDataAccessor(new IndexedFileMapper(base, root), root, '/.internal/tempFiles/');
      await accessor.initialize();
      found.push(await read(accessor));
      await expect(readdir(join(root, '.internal/tempFiles'))).resolves.toEqual([]);
      await accessor.deleteResource({ path: url }).catch((): undefined => undefined);
      await expect(read(accessor)).resolves.toEqual(none);
    }
    const first = found.findIndex((one): boolean => JSON.stringify(one) === JSON.stringify(after));
    expect(found.slice(0, first)).toEqual(Array.from({ length: first }).fill(before.at(-1) ?? none));
    expect(found.slice(first)).toEqual(Array.from({ length: found.length - first }).fill(after));
    expect(first).toBeGreaterThan(0);
  });

  it.each([ '.acl', '.acr' ])('never has a resource without its own access rules: %s.', async(rules): Promise<void> => {
    const shelf = join(folder, 'pods/alice/shelf');
    await mkdir(shelf, { recursive: true });
    await Promise.all([ `${shelf}/${rules}`, `${shelf}/.meta`, `${shelf}/../note${rules}` ]
      .map(async(file): Promise<void> => writeFile(file, '')));
    const found: string[] = [];
    const bare: string[][] = [];
    for (const { root, steps } of await change([ odd ], { removed: [ url, `${base}alice/shelf/` ], rules })) {
      if (how === 'loses its power') {
        await cutPower(steps);
      } else {
        // Another process may continue with this.
        const files = await filesOf(root);
        bare.push(...[[ 'note$.unknown', `note${rules}` ], [ 'shelf', `shelf/${rules}` ]]
          .filter(([ file, its ]): boolean => files.includes(file) && !files.includes(its)));
      }
      await new DurableFileDataAccessor(new IndexedFileMapper(base, root), root, '/.internal/tempFiles/').initialize();
      await expect(readdir(join(root, '.internal/tempFiles'))).resolves.toEqual([]);
      found.push((await filesOf(root)).join(' '));
    }
    expect(bare).toEqual([]);
    expect([ ...new Set(found) ]).toEqual([
      `note$.unknown note${rules} note.meta shelf shelf/${rules} shelf/.meta`,
      `shelf shelf/${rules} shelf/.meta`,
      '',
    ]);
  });
});

async function filesOf(root: string): Promise<string[]> {
  return (await readdir(join(root, 'alice'), { recursive: true })).sort();
}

async function read(accessor: DurableFileDataAccessor): Promise<Content> {
  const files: RepresentationMetadata[] = [];
  for await (const child of accessor.getChildren({ path: `${base}alice/` })) {
    files.push(child);
  }
  if (files.length === 0) {
    return none;
  }
  expect(files.map(({ identifier }): string => identifier.value)).toEqual([ url ]);
  const { contentTypeObject } = await accessor.getMetadata({ path: url });
  const chunks = await (await accessor.getData({ path: url })).toArray() as Buffer[];
  const { parameters: { charset }, value: type } = contentTypeObject!;
  return { type, ...charset && { charset }, body: Buffer.concat(chunks).toString() };
}
