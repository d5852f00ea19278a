import { chmod, cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { commands } from '../../../../src/cli/commands/commands';
import { operate } from '../../../support/commandLine';
import { makeInstallation } from '../../../support/installation';
import { all, expectRefused, RefusingInstallation } from './RefusingInstallation';

/** Commands that work only on the records in a backup, or on any records. */
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
  let mine: RefusingInstallation;
  let lab: string;

  beforeAll(async(): Promise<void> => {
    mine = await RefusingInstallation.make();
    ({ lab } = mine);
  });

  beforeEach(async(): Promise<void> => mine.copy());

  afterEach(async(): Promise<void> => mine.removeCopy());

  afterAll(async(): Promise<void> => mine.original.remove());

  it('is in this list.', (): void => {
    expect(commands.map(({ name }): string => name).filter((name): boolean => !apart.has(name)).sort())
      .toEqual([ ...all ].sort());
  });

  it('refuses missing records, and creates none.', async(): Promise<void> => {
    await expectRefused(mine, all, { records: join(lab, 'no/records.sqlite') }, /^--records: there is no file/u);
  });

  it('refuses a URL that cannot hold records, and does not show it.', async(): Promise<void> => {
    await expectRefused(mine, all, { records: 'postgress://me:secret@db/records' }, /--records/u, [], 2);
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
      await cp(mine.original.place.records, file);
      new BetterSqlite3(file).exec(`delete from migrations where name like '%suspensions'`).close();
    } ],
    [ 'records of a later version', async(file: string): Promise<void> => {
      await cp(mine.original.place.records, file);
      new BetterSqlite3(file).exec(`insert into migrations (name, run_at) values ('3000-01-01-x', 0)`).close();
    } ],
    [ 'the target of an unfinished move', async(file: string): Promise<void> => {
      await cp(mine.original.place.records, file);
      new BetterSqlite3(file).exec(`insert into migrations (name, run_at) values ('unfinished copy of x', 0)`).close();
    } ],
  ])('refuses %s for records, and leaves it as it is.', async(_what, make): Promise<void> => {
    await rm(join(lab, 'records.sqlite'));
    await make(join(lab, 'records.sqlite'));
    await expectRefused(mine, all, {}, /^--records: /u);
  });

  it('refuses keys that are missing, empty, wrong, or readable by others.', async(): Promise<void> => {
    await expectRefused(mine, all, { keys: join(lab, 'no/keys') }, /^--keys: /u);
    await mkdir(join(lab, 'none'));
    await expectRefused(mine, all, { keys: join(lab, 'none') }, /^--keys: /u);
    const other = await makeInstallation([]);
    await expectRefused(mine, all, { keys: other.place.keys }, /^--keys: /u);
    await other.remove();
    await chmod(join(lab, 'keys/encryption.key'), 0o644);
    await expectRefused(mine, all, {}, /^--keys: .*mode 0600/u);
  });

  it('refuses a database that does not respond.', async(): Promise<void> => {
    const names = all.filter((name): boolean => ![ 'backup', 'move' ].includes(name));
    await expectRefused(mine, names, { records: 'postgres://me:secret@127.0.0.1:1/records' }, /^--records: cannot reach/u);
  });

  it('refuses records and keys among the pods.', async(): Promise<void> => {
    await expectRefused(mine, all, { pods: lab }, /must not contain each other/u);
  });

  it('refuses unknown options, and missing or superfluous values.', async(): Promise<void> => {
    for (const more of [[ '--recrods', 'x' ], [ '--records' ], [ '-x' ], [ 'one', 'two' ]]) {
      await expectRefused(mine, all, {}, /./u, more, 2);
    }
  });

  it('that reads pods refuses a folder that does not belong to the records.', async(): Promise<void> => {
    const names = [ 'accounts list', 'backup', 'citizens export', 'move' ];
    const other = await makeInstallation([ 'cas' ], 'https://elsewhere.example/');
    await mkdir(join(lab, 'none'));
    for (const pods of [ join(lab, 'no'), join(lab, 'none'), join(lab, 'records.sqlite/pods'), other.pods ]) {
      await expectRefused(mine, names, { pods }, /--rootFilePath/u);
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
  ])('needs its exact name: not %s.', async(typed): Promise<void> => {
    const before = await mine.snapshot();
    await expect(operate({ records: join(lab, 'records.sqlite'), keys: join(lab, 'keys') }, typed.split(' '))).resolves
      .toMatchObject({ code: 2, output: '', errors: expect.stringContaining('help') });
    await expect(mine.snapshot()).resolves.toEqual(before);
  });

  it.each([
    [ 'audit export', [ '--from', '2026-13-01' ], 2 ],
    [ 'audit export', [ '--from', '2026-02-30' ], 2 ],
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
    await expectRefused(mine, [ name ], {}, /^\S.{10,}/u, more, code);
  });
});
