import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  BasicRepresentation,
  DC,
  FileDataAccessor,
  MaxKeyLengthStorage,
  parseContentType,
  RDFS,
  RepresentationMetadata,
} from '@solid/community-server';
import type { KeyValueStorage } from '@solid/community-server';
import { RecordsCopy } from '../../../../src/storage/copies/RecordsCopy';
import { openDatabase } from '../../../../src/storage/database/engine';
import type { OpenDatabase } from '../../../../src/storage/database/engine';
import type { OpenRecords } from '../../../../src/storage/openRecords';
import { IndexedFileMapper } from '../../../../src/server/files/IndexedFileMapper';
import { moveInstallation } from '../../../../src/cli/moving/moveInstallation';
import type { Moved } from '../../../../src/cli/moving/moveInstallation';
import { ValueFiles } from '../../../../src/server/files/ValueFiles';
import { parseWebId } from '../../../../src/platform/webId';
import type { CommandAnswer } from '../../../support/commandLine';
import { operate } from '../../../support/commandLine';
import { openRecordsOf } from '../../../support/openRecordsOf';
import { databaseUrl } from '../../../support/postgres';
import type { PostgresSchema } from '../../../support/recordsSql';
import { makeSchema, sqlOf } from '../../../support/recordsSql';
import { removeFolder, temporaryFolder } from '../../../support/world';
import { appendRows, citizenNumber, nationalNumber, now } from '../../storage/places';

const base = 'https://pod.example/';
const large = randomBytes(1_200_000);

/** Files of a server, of ordinary and odd names, types and sizes. */
const documents: [path: string, type: string, body: Buffer | string, statement?: string][] = [
  [ 'pod/profile/card', 'text/turtle', '<#me> a <http://xmlns.com/foaf/0.1/Person> .' ],
  [ 'pod/.acl', 'text/turtle', '# who may' ],
  [ 'pod/.acr', 'text/turtle', '# who may, in ACP' ],
  [ 'pod/notes.ttl', 'text/turtle; charset=utf-8', '# typed by hand' ],
  [ 'pod/notes.txt', 'application/json', '{}' ],
  [ 'pod/photo', 'image/png', randomBytes(3000), 'a picture' ],
  [ 'pod/odd', 'application/vnd.nobody.knows', 'odd' ],
  [ 'pod/empty.txt', 'text/plain', '' ],
  [ 'pod/caf%C3%A9%20%26%20th%C3%A9', 'text/plain', 'drinks' ],
  [ 'pod/deep/deeper/video.mp4', 'video/mp4', large, 'a film "of" \\ us' ],
  [ '.well-known', 'application/json', '{}' ],
];
const values: [key: string, value: unknown][] = [
  [ 'setup/current-base-url', base ],
  [ 'accounts/data/1', { id: '1', name: 'né "quoted"', deep: { list: [ 1, null, true ]}}],
  [ `accounts/index/webId/${encodeURIComponent('https://pod.example/pod/profile/card#me')}`, [ '1' ]],
  [ `idp/adapter/AccessToken/${'x'.repeat(300)}`, { expires: '2026-12-01T00:00:00Z', payload: {}}],
  [ 'notifications/ab/c d', { topic: `${base}pod/` }],
];

/** Returns everything in a folder: names, bytes, and the times of files in pods. */
async function contentOf(root: string): Promise<Record<string, string>> {
  const content: Record<string, string> = {};
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(root.length);
    if (!name.startsWith('/.internal/tempFiles')) {
      content[name] = [
        ...name.startsWith('/.internal') || name.endsWith('.meta') ? [] : [ await timeOf(path, entry.isFile()) ],
        entry.isFile() ? (await readFile(path)).toString('latin1').replaceAll(/_:[\w-]+/gu, '_:any') : 'folder',
      ].join(' ');
    }
  }
  return content;
}

/** Lists the files and folders in a folder that other users of the machine can read or write. */
async function listOpenToOthers(root: string): Promise<string[]> {
  const names = await readdir(root, { recursive: true });
  const modes = await Promise.all(names.map(async(name): Promise<number> => (await stat(join(root, name))).mode));
  return names.filter((_, index): boolean => (modes[index] & 0o077) !== 0);
}

/** Returns the time as reported by the server: that of the file, or of its description if later. */
async function timeOf(path: string, isFile: boolean): Promise<string> {
  const { mtime } = await stat(path);
  const description = isFile ? undefined : await stat(join(path, '.meta'));
  return new Date(Math.max(mtime.getTime(), description?.mtime.getTime() ?? 0)).toISOString();
}

async function tablesOf(place: string): Promise<Record<string, unknown>> {
  const sql = sqlOf(place);
  const rows: Record<string, unknown> = {};
  for (const table of [ 'citizens', 'audit_rows', 'audit_head', 'audit_keys', 'key_fingerprints', 'current_keys' ]) {
    const found = await sql(`select * from ${table}`);
    rows[table] = found.map((row): string => JSON.stringify(Object.entries(row)
      .map(([ column, value ]): string => `${column}=${String(value)}`).sort())).sort();
  }
  return rows;
}

describe('Moving an installation', (): void => {
  let folder: string;
  let schema: PostgresSchema;
  let keys: string;
  let pods: string;
  let records: string;
  const opened: OpenRecords[] = [];

  beforeEach(async(): Promise<void> => {
    folder = await temporaryFolder();
    keys = join(folder, 'keys');
    pods = join(folder, 'pods');
    records = join(folder, 'records.sqlite');
    schema = await makeSchema(databaseUrl!, `move_${randomUUID().replaceAll('-', '')}`);
    await makeRecords();
    await makePods();
  });

  afterEach(async(): Promise<void> => {
    await close();
    await schema.drop();
    await removeFolder(folder);
  });

  async function open(place: string): Promise<OpenRecords> {
    const one = await openRecordsOf(folder, { records: place, clock: (): Date => now });
    opened.push(one);
    return one;
  }

  async function close(): Promise<void> {
    await Promise.all(opened.splice(0).map(async(one): Promise<void> => one.close()));
  }

  async function makeRecords(): Promise<void> {
    const { records: { citizens, transaction }} = await open(records);
    for (let index = 0; index < 3; index += 1) {
      await citizens.insertOrGet({
        id: `citizen-${index}`,
        webId: parseWebId(`${base}${index}/profile/card#me`),
        podUrl: `${base}${index}/`,
        nationalNumber: citizenNumber(index),
        createdAt: now,
      });
    }
    await transaction(async(stores): Promise<void> => appendRows(stores, 1203, 'citizen-1'));
    await close();
  }

  async function makePods(): Promise<void> {
    const mapper = new IndexedFileMapper(base, pods);
    const accessor = new FileDataAccessor(mapper);
    for (const path of [ '', 'pod/', 'pod/profile/', 'pod/deep/', 'pod/deep/deeper/', 'pod/empty/' ]) {
      const metadata = new RepresentationMetadata({ path: `${base}${path}` });
      metadata.add(RDFS.terms.label, `the container ${path}`);
      await accessor.writeContainer({ path: `${base}${path}` }, metadata);
    }
    for (const [ index, [ path, type, body, statement ]] of documents.entries()) {
      const identifier = { path: `${base}${path}` };
      const metadata = new RepresentationMetadata(identifier, parseContentType(type));
      if (statement !== undefined) {
        metadata.add(DC.terms.description, statement);
      }
      const { data } = new BasicRepresentation([ Buffer.from(body) ], metadata);
      await accessor.writeDocument(identifier, data, metadata);
      const { filePath } = await mapper.mapUrlToFilePath(identifier, false);
      const time = new Date(now.getTime() - (index * 98_765_432));
      await utimes(`${pods}/${path}.meta`, time, time).catch((): undefined => undefined);
      await utimes(filePath, time, time);
    }
    const files = new ValueFiles({ mapper, rootFilePath: pods, baseUrl: base, container: '.internal/' });
    const storage = new MaxKeyLengthStorage(files as unknown as
      KeyValueStorage<string, { key: string; payload: unknown }>);
    for (const [ key, value ] of values) {
      await storage.set(key, value);
    }
    // A draft left by a crash: not a value, though it looks like one.
    await mkdir(join(pods, '.internal/tempFiles'), { recursive: true });
    await writeFile(
      join(pods, '.internal/tempFiles/value-1.json'),
      JSON.stringify({ key: 'accounts/data/1', payload: 'half' }),
    );
  }

  async function move(from: string, to: string, root = pods): Promise<CommandAnswer> {
    return operate({ records: from, keys, pods: root }, [ 'move', '--to', to ]);
  }

  /** Runs a move that stops at its n-th line of progress. */
  async function moveUntil(line: number, from: string, to: string, root = pods): Promise<Moved | undefined> {
    let lines = 0;
    return moveInstallation({
      from,
      to,
      keys,
      rootFilePath: root,
      operator: 'olivia',
      now: (): Date => now,
      newId: randomUUID,
      report: (): void => {
        lines += 1;
        if (lines === line) {
          throw new Error('interrupted');
        }
      },
    });
  }

  it('there and back gives the same rows, files, times and values.', async(): Promise<void> => {
    const before = await contentOf(pods);
    const there = await move(records, schema.url);
    expect(there).toMatchObject({ code: 0 });
    expect(there.output).toContain('The audit record is intact: 1204 rows');
    await expect(tablesOf(schema.url)).resolves.toEqual(await tablesOf(records));
    const { records: { audit, citizens }, pods: room } = await open(schema.url);
    await expect(audit.verify()).resolves.toEqual([]);
    expect((await citizens.getNationalNumber('citizen-1')).reveal()).toBe(nationalNumber(1));
    await expect(room!.values.get('accounts/data/1')).resolves.toBe(JSON.stringify(values[1][1]));
    await expect(room!.values.get(values[3][0])).resolves.toBe(JSON.stringify(values[3][1]));
    await expect(room!.resources.find('/pod/odd')).resolves
      .toMatchObject({ contentType: 'application/vnd.nobody.knows', size: 3 });
    await close();

    const back = join(folder, 'back');
    const returned = await move(schema.url, join(back, 'records.sqlite'), join(back, 'pods'));
    expect(returned).toMatchObject({ code: 0 });
    await expect(tablesOf(join(back, 'records.sqlite'))).resolves.toEqual(await tablesOf(schema.url));
    await expect(contentOf(join(back, 'pods'))).resolves.toEqual(before);
    await expect(listOpenToOthers(back)).resolves.toEqual([]);
    // The source is unchanged.
    await expect(contentOf(pods)).resolves.toEqual(before);
  });

  /** Returns the operators who began to move these records, according to the audit record. */
  async function movers(place: string): Promise<unknown[]> {
    const { records: { audit }} = await open(place);
    const events = await audit.list(1203, 10);
    await close();
    return events.map(({ event: { type, personal }}): unknown => ({ type, ...personal }));
  }

  it('continues after interruptions, and nothing opens the target meanwhile.', async(): Promise<void> => {
    const before = await contentOf(pods);
    const back = join(folder, 'back');
    const file = join(back, 'records.sqlite');
    for (const [ from, to, root ] of [[ records, schema.url, pods ], [ schema.url, file, join(back, 'pods') ]]) {
      // Eight tables with rows, each reported once; then values, pods, and the comparison.
      for (const line of [ 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3 ]) {
        await expect(moveUntil(line, from, to, root)).rejects.toThrow('interrupted');
        await expect(open(to)).rejects.toThrow('a move to these records is not finished');
      }
      await expect(moveUntil(0, from, to, root)).resolves.toMatchObject({ values: values.length });
      await expect(tablesOf(to)).resolves.toEqual(await tablesOf(from));
      expect((await move(from, to, root)).output).toBe('These records are at the target already.\n');
    }
    await expect(contentOf(join(back, 'pods'))).resolves.toEqual(before);
    // Once in each direction, however often it was interrupted; on both sides.
    const row = { type: 'move.begun', operator: 'olivia' };
    await expect(movers(records)).resolves.toEqual([ row ]);
    await expect(movers(schema.url)).resolves.toEqual([ row, row ]);
    await expect(movers(file)).resolves.toEqual([ row, row ]);
  });

  it('keeps servers from the target before the first row is copied, too.', async(): Promise<void> => {
    const [ from, to ] = await Promise.all([ records, schema.url ].map(async(place): Promise<OpenDatabase> =>
      openDatabase(place, { alone: true })));
    const copy = new RecordsCopy(from, to, (): void => undefined, (): Date => now);
    await expect(copy.begin(async(): Promise<boolean> => true, async(): Promise<never> => {
      throw new Error('killed');
    })).rejects.toThrow('killed');
    await Promise.all([ from.db.destroy(), to.db.destroy() ]);
    await expect(open(schema.url)).rejects.toThrow('a move to these records is not finished');
    await expect(move(records, schema.url)).resolves.toMatchObject({ code: 0 });
    await open(schema.url);
    await close();
  });

  it('is refused while either side is in use, and keeps others out.', async(): Promise<void> => {
    await open(records);
    await expect(move(records, schema.url)).resolves
      .toMatchObject({ code: 1, errors: expect.stringContaining('is in use: stop the server first') });
    await close();
    const { db } = await openDatabase(schema.url);
    await expect(move(records, schema.url)).resolves
      .toMatchObject({ code: 1, errors: expect.stringContaining('is in use: stop every server first') });
    await db.destroy();
    for (const [ place, refusal ] of [
      [ schema.url, 'The PostgreSQL database is being moved' ],
      [ records, 'database is locked' ],
    ]) {
      const alone = await openDatabase(place, { alone: true });
      await expect(open(place)).rejects.toThrow(refusal);
      await alone.db.destroy();
    }
  });

  it('accepts an empty target or its own unfinished copy, and no other.', async(): Promise<void> => {
    await open(schema.url);
    await close();
    await expect(move(records, schema.url)).resolves
      .toMatchObject({ code: 1, errors: expect.stringContaining('There are other records at the target') });
    await expect(movers(records)).resolves.toEqual([]);
    await schema.drop();
    schema = await makeSchema(databaseUrl!, `move_${randomUUID().replaceAll('-', '')}`);
    await expect(moveUntil(2, records, schema.url)).rejects.toThrow('interrupted');
    await appendRows((await open(records)).records, 1);
    await close();
    await expect(move(records, schema.url)).resolves
      .toMatchObject({ code: 1, errors: expect.stringContaining('or of an earlier state of these') });
  });

  it('finds differences afterwards, and leaves the target unfinished.', async(): Promise<void> => {
    await expect(moveUntil(10, records, schema.url)).rejects.toThrow('interrupted');
    await sqlOf(schema.url)(`update audit_rows set facts = '{}' where sequence = 7`);
    await expect(move(records, schema.url)).resolves.toMatchObject({
      code: 1,
      errors: expect.stringContaining('The table auditRows differs between the two sides'),
    });
    await expect(open(schema.url)).rejects.toThrow('a move to these records is not finished');
  });

  it('repairs what was altered in an unfinished copy, and refuses additions.', async(): Promise<void> => {
    const before = await contentOf(pods);
    await move(records, schema.url);
    const back = join(folder, 'back');
    const target: [string, string, string] = [ schema.url, join(back, 'records.sqlite'), join(back, 'pods') ];
    await expect(moveUntil(12, ...target)).rejects.toThrow('interrupted');
    const photo = join(back, 'pods/pod/photo$.png');
    const { mtime } = await stat(photo);
    await writeFile(photo, randomBytes(3000));
    await utimes(photo, mtime, mtime);
    const stray = join(back, 'pods/pod/stray.txt');
    await writeFile(stray, 'of nobody');
    await expect(move(...target)).resolves
      .toMatchObject({ code: 1, errors: expect.stringContaining('empty the target and start again') });
    await rm(stray);
    await expect(move(...target)).resolves.toMatchObject({ code: 0 });
    await expect(contentOf(join(back, 'pods'))).resolves.toEqual(before);
  });

  it('to files reports all names that no file can have, before anything is moved.', async(): Promise<void> => {
    await move(records, schema.url);
    const long = 'm'.repeat(251);
    const names = [ 'q$.txt', 'a$.b.c', 'q$', 'a%253Ab', 'x'.repeat(256), long ];
    for (const name of [ ...names, `${'k'.repeat(240)}.png`, 'a%3Ab' ]) {
      await sqlOf(schema.url)(`insert into pod_resources (path, parent, content_type, metadata, modified, size, body)
        values ('/pod/${name}', '/pod/', 'image/png',
          '<${base}pod/${name}> <http://www.w3.org/ns/ma-ont#format> "image/png" .', 0, 1, 'x')`);
    }
    const back = join(folder, 'back');
    const target: [string, string, string] = [ schema.url, join(back, 'records.sqlite'), join(back, 'pods') ];
    const { code, errors } = await move(...target);
    expect([ code, errors.trim().split('\n').slice(1).sort() ])
      .toEqual([ 1, names.map((name): string => `${base}pod/${name}`).sort() ]);
    await expect(readdir(join(back, 'pods'))).rejects.toThrow('ENOENT');
    await sqlOf(schema.url)(`delete from pod_resources
      where path in (${names.map((name): string => `'/pod/${name}'`).join(', ')})`);
    await expect(move(...target)).resolves.toMatchObject({ code: 0 });
  });

  it('moves no folder with a file that is not a value.', async(): Promise<void> => {
    await writeFile(join(pods, '.internal/accounts/data/2$.json'), '{"key":"accounts/data/2","pay');
    await expect(move(records, schema.url)).resolves
      .toMatchObject({ code: 1, errors: expect.stringContaining('cannot be read as values') });
    await rm(join(pods, '.internal/accounts/data/2$.json'));
    await writeFile(join(pods, '.internal/accounts/.meta'), '');
    await expect(move(records, schema.url)).resolves.toMatchObject({ code: 0 });
  });

  it('needs a file and a URL.', async(): Promise<void> => {
    await expect(operate({ records, keys, pods }, [ 'move' ])).resolves.toMatchObject({ code: 2 });
    await expect(move(records, join(folder, 'other.sqlite'))).resolves.toMatchObject({ code: 2 });
  });
});
