import { createHash } from 'node:crypto';
import { chmod, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { commands } from '../../../../src/cli/commands/commands';
import type { CommandAnswer, CommandPlace } from '../../../support/commandLine';
import { operate } from '../../../support/commandLine';
import type { Installation } from '../../../support/installation';
import { makeInstallation } from '../../../support/installation';
import { databaseUrl, describeOnPostgres } from '../../../support/postgres';
import { makeSchema, sqlOf } from '../../../support/recordsSql';

/** How each command is called when all is well: those that work on records. */
const calls: Record<string, string[]> = {
  'audit verify': [],
  'audit export': [ '--with-identities' ],
  'citizens list': [],
  'citizens relink': [ '--pod', 'ann' ],
  'citizens export': [ '--pod', 'ann' ],
  'citizens erase': [ '--pod', 'ann', '--yes', '--wait', '0' ],
  'accounts invite': [ '--baseUrl', 'https://pod.example/' ],
  'accounts invitations': [],
  'accounts withdraw': [ '0123456789abcdef' ],
  'accounts list': [],
  suspend: [ '--contract', 'loans', '--force' ],
  resume: [ '--contract', 'loans' ],
  suspensions: [],
  'subscriptions list': [],
  'subscriptions pause': [ '5f1c1f0e-8c1c-4e53-9d3a-2c1f0f6f4b7a' ],
  'subscriptions replay': [ '5f1c1f0e-8c1c-4e53-9d3a-2c1f0f6f4b7a' ],
  'keys list': [],
  'keys make': [ 'encryption' ],
  'keys rotate': [ 'encryption' ],
  'keys rewrite': [],
  'keys retire': [ 'encryption-old.key' ],
  'origins check': [ 'https://pod.example/ann/credentials/00/x' ],
  sweep: [ '--wait', '0' ],
  backup: [ '--into', 'INTO' ],
  move: [ '--to', 'postgres://nobody@127.0.0.1:1/none' ],
};
/** Work on no records but those in a backup, or on whatever there is. */
const apart = new Set([
  'backup verify',
  'check',
  'check record',
  'completion',
  'new contract',
  'new data-type',
  'new source',
]);

describe('Every command of the operator', (): void => {
  let mine: Installation;
  let lab: string;

  beforeAll(async(): Promise<void> => {
    mine = await makeInstallation();
    await mine.close();
    lab = join(mine.folder, 'lab');
  });

  beforeEach(async(): Promise<void> => {
    await mkdir(lab);
    await cp(mine.place.keys, join(lab, 'keys'), { recursive: true });
    await cp(mine.place.records, join(lab, 'records.sqlite'));
    await cp(mine.pods, join(lab, 'pods'), { recursive: true });
  });

  afterEach(async(): Promise<void> => rm(lab, { recursive: true }));

  afterAll(async(): Promise<void> => mine.remove());

  /** All that there is, by content. */
  async function snapshot(): Promise<Record<string, string>> {
    const entries = await readdir(lab, { recursive: true, withFileTypes: true });
    return Object.fromEntries(await Promise.all(entries.map(async(entry): Promise<[string, string]> => {
      const path = join(entry.parentPath, entry.name);
      return [ path, entry.isFile() ? createHash('sha256').update(await readFile(path)).digest('hex') : 'folder' ];
    })));
  }

  async function call(name: string, place: Partial<CommandPlace> = {}, more: string[] = []): Promise<CommandAnswer> {
    const words = [ ...name.split(' '), ...calls[name], ...more ].map((word): string =>
      word === 'INTO' ? join(lab, 'backup') : word);
    const usual = { records: join(lab, 'records.sqlite'), keys: join(lab, 'keys'), pods: join(lab, 'pods') };
    return operate({ ...usual, ...place }, words, '85010100207\n');
  }

  /** Says why in a line, and leaves everything as it was. */
  async function expectRefused(
    names: string[],
    place: Partial<CommandPlace>,
    why: RegExp,
    more: string[] = [],
    code = 1,
  ): Promise<void> {
    const before = await snapshot();
    for (const name of names) {
      const answer = await call(name, place, more);
      expect({ name, ...answer }).toMatchObject({ name, code, output: '', errors: expect.stringMatching(why) });
      expect(answer.errors.trim().split('\n')).toHaveLength(code === 2 ? 2 : 1);
      expect(answer.errors).not.toMatch(/^ {4}at |secret/mu);
      await expect(snapshot()).resolves.toEqual(before);
    }
  }

  const all = Object.keys(calls);

  it('is in this list.', (): void => {
    expect(commands.map(({ name }): string => name).filter((name): boolean => !apart.has(name)).sort())
      .toEqual([ ...all ].sort());
  });

  it('refuses records that are not there, and makes none.', async(): Promise<void> => {
    await expectRefused(all, { records: join(lab, 'no/records.sqlite') }, /^--records: there is no file/u);
  });

  it('refuses a URL that is no place of records, and does not show it.', async(): Promise<void> => {
    await expectRefused(all, { records: 'postgress://me:secret@db/records' }, /--records/u, [], 2);
  });

  it.each([
    [ 'an empty file', async(file: string): Promise<void> => writeFile(file, '') ],
    [ 'a text', async(file: string): Promise<void> => writeFile(file, 'records\n'.repeat(1000)) ],
    [ 'a folder', async(file: string): Promise<void> => {
      await mkdir(file);
    } ],
    [ 'a database of something else', async(file: string): Promise<void> => {
      new BetterSqlite3(file).exec('create table notes (text)').close();
    } ],
    [ 'records of an earlier version', async(file: string): Promise<void> => {
      await cp(mine.place.records, file);
      new BetterSqlite3(file).exec(`delete from migrations where name like '%suspensions'`).close();
    } ],
    [ 'records of a later version', async(file: string): Promise<void> => {
      await cp(mine.place.records, file);
      new BetterSqlite3(file).exec(`insert into migrations (name, run_at) values ('3000-01-01-x', 0)`).close();
    } ],
    [ 'the target of an unfinished move', async(file: string): Promise<void> => {
      await cp(mine.place.records, file);
      new BetterSqlite3(file).exec(`insert into migrations (name, run_at) values ('unfinished copy of x', 0)`).close();
    } ],
  ])('refuses %s for records, and leaves it as it is.', async(_what, make): Promise<void> => {
    await rm(join(lab, 'records.sqlite'));
    await make(join(lab, 'records.sqlite'));
    await expectRefused(all, {}, /^--records: /u);
  });

  it('refuses keys that are not there, none, others, or readable by others.', async(): Promise<void> => {
    await expectRefused(all, { keys: join(lab, 'no/keys') }, /^--keys: /u);
    await mkdir(join(lab, 'none'));
    await expectRefused(all, { keys: join(lab, 'none') }, /^--keys: /u);
    const other = await makeInstallation([]);
    await expectRefused(all, { keys: other.place.keys }, /^--keys: /u);
    await other.remove();
    await chmod(join(lab, 'keys/encryption.key'), 0o644);
    await expectRefused(all, {}, /^--keys: .*mode 0600/u);
  });

  it('refuses a database that nobody answers for.', async(): Promise<void> => {
    const names = all.filter((name): boolean => ![ 'backup', 'move' ].includes(name));
    await expectRefused(names, { records: 'postgres://me:secret@127.0.0.1:1/records' }, /^--records: cannot reach/u);
  });

  it('refuses records and keys among the pods.', async(): Promise<void> => {
    await expectRefused(all, { pods: lab }, /must not contain each other/u);
  });

  it('refuses what is no option of it, and values that are missing or too many.', async(): Promise<void> => {
    for (const more of [[ '--recrods', 'x' ], [ '--records' ], [ '-x' ], [ 'one', 'two' ]]) {
      await expectRefused(all, {}, /./u, more, 2);
    }
  });

  it('that reads pods refuses a folder that is not the one of the records.', async(): Promise<void> => {
    const names = [ 'accounts list', 'backup', 'citizens export', 'move' ];
    const other = await makeInstallation([ 'cas' ], 'https://elsewhere.example/');
    await mkdir(join(lab, 'none'));
    for (const pods of [ join(lab, 'no'), join(lab, 'none'), join(lab, 'records.sqlite/pods'), other.pods ]) {
      await expectRefused(names, { pods }, /--rootFilePath/u);
    }
    await other.remove();
  });

  it.each([
    [ 'audit' ],
    [ 'audit verfiy' ],
    [ 'audit  verify' ],
    [ 'backups' ],
    [ 'AUDIT verify' ],
    [ 'suspended --contract x' ],
  ])('is known by its name alone: not %s.', async(typed): Promise<void> => {
    const before = await snapshot();
    await expect(operate({ records: join(lab, 'records.sqlite'), keys: join(lab, 'keys') }, typed.split(' '))).resolves
      .toMatchObject({ code: 2, output: '', errors: expect.stringContaining('help') });
    await expect(snapshot()).resolves.toEqual(before);
  });

  it.each([
    [ 'audit export', [ '--from', '2026-13-01' ], 2 ],
    [ 'audit export', [ '--to', 'tomorrow' ], 2 ],
    [ 'citizens list', [ '--state', 'active' ], 2 ],
    [ 'citizens export', [ '--webid', 'https://pod.example/ann' ], 2 ],
    [ 'citizens erase', [ '--wait', 'long' ], 2 ],
    [ 'citizens erase', [ '--pod', 'nobody' ], 1 ],
    [ 'citizens export', [ '--pod', 'nobody' ], 1 ],
    [ 'citizens relink', [ '--file', '/nowhere/number' ], 1 ],
    [ 'accounts invite', [ '--baseUrl', 'pod.example' ], 1 ],
    [ 'accounts invite', [ '--hours', 'many' ], 1 ],
    [ 'accounts invite', [ '--hours', '745' ], 1 ],
    [ 'accounts invite', [ '--for-address', '--file', '/nowhere/address' ], 1 ],
    [ 'accounts withdraw', [], 1 ],
    [ 'keys rotate', [ '--file', 'nothing.key' ], 1 ],
    [ 'backup', [ '--into', '/proc/backup' ], 1 ],
    [ 'move', [], 1 ],
    [ 'move', [ '--to', '' ], 2 ],
    [ 'move', [ '--to', '/elsewhere/records.sqlite' ], 2 ],
  ])('%s refuses %j.', async(name, more, code): Promise<void> => {
    await expectRefused([ name ], {}, /^\S.{10,}/u, more, code);
  });

  describeOnPostgres('on PostgreSQL', (): void => {
    it('refuses a database without records, and makes nothing there or here.', async(): Promise<void> => {
      const schema = await makeSchema(databaseUrl!, `refusals_${process.pid}`);
      const why = /^--records: there are no records/u;
      const names = all.filter((name): boolean => ![ 'backup', 'move' ].includes(name));
      await expectRefused(names, { records: schema.url }, why);
      await expectRefused([ 'move' ], { records: schema.url }, why, [ '--to', join(lab, 'moved/records.sqlite') ]);
      await schema.drop();
    });

    it('moves no pods that are not those of the records, and makes nothing there.', async(): Promise<void> => {
      const schema = await makeSchema(databaseUrl!, `refusals_to_${process.pid}`);
      const other = await makeInstallation([ 'cas' ]);
      await expectRefused([ 'move' ], { pods: other.pods }, /--rootFilePath/u, [ '--to', schema.url ]);
      const made = await sqlOf(schema.url)('select 1 from pg_tables where schemaname = current_schema()');
      expect(made).toEqual([]);
      await other.remove();
      await schema.drop();
    });
  });
});
