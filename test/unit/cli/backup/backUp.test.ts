import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import type { BackedUp } from '../../../../src/cli/backup/backUp';
import { backUp } from '../../../../src/cli/backup/backUp';
import type { KnownPods } from '../../../../src/cli/backup/checkPods';
import { operate } from '../../../support/commandLine';
import { openRecordsOf } from '../../../support/openRecordsOf';
import type { Place } from '../../storage/places';
import { appendRows, now, sqlitePlace } from '../../storage/places';
import { removeFolder, temporaryFolder } from '../../../support/world';

const base = 'https://pod.example/';

describe('A backup', (): void => {
  let folder: string;
  let place: Place;
  let pods: string;
  let into: string;
  let known: KnownPods;

  beforeEach(async(): Promise<void> => {
    folder = await temporaryFolder();
    pods = join(folder, 'pods');
    into = join(folder, 'backup');
    place = await sqlitePlace();
    const { records, serverSecrets } = await place.open();
    known = { citizens: records.citizens, serverSecrets };
    await appendRows(records, 3);
    write('.internal/setup/current-base-url$.json', JSON.stringify({ key: 'setup/current-base-url', payload: base }));
    write('one/.acl', 'who may');
    write('one/note.txt', 'a note');
    write('.internal/accounts/data/1$.json', '{}');
    write('.internal/idp/keys/jwks$.json', '{}');
    write('.internal/locks/1/lock', '');
    write('.internal/tempFiles/draft', 'half');
  });

  afterEach(async(): Promise<void> => {
    await place.remove();
    await removeFolder(folder);
  });

  /** Writes as the server does: atomically, by a rename. */
  function write(path: string, text: string): void {
    const file = join(pods, path);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(join(folder, 'draft'), text);
    renameSync(join(folder, 'draft'), file);
  }

  /** A file and the row that belongs to it, written while the backup is made. */
  function share(name: string): void {
    write(`one/${name}`, 'shared');
    const records = new BetterSqlite3(place.records);
    records.prepare('insert into suspensions (name, suspended_at) values (?, 0)').run(name);
    records.close();
  }

  async function run(report: (line: string) => void, longestHoldMs?: number): Promise<BackedUp> {
    async function begin(): Promise<void> {
      // These tests ignore the notes of the command.
    }
    const { records } = place;
    const folders = { rootFilePath: pods, planPackages: join(folder, 'plan-packages') };
    return backUp({ records, ...folders, known, into, begin, report, now: (): Date => now, longestHoldMs });
  }

  function rows(): string[] {
    const copy = new BetterSqlite3(join(into, 'records.sqlite'), { readonly: true });
    try {
      return copy.prepare('select name from suspensions order by name').pluck().all() as string[];
    } finally {
      copy.close();
    }
  }

  it('has files and records of one moment, despite writes before and after.', async(): Promise<void> => {
    await run((line): void => {
      if (!line.startsWith('Reading')) {
        share(line.startsWith('Pods') ? 'before' : 'after');
      }
    });
    expect(rows()).toEqual([ 'before' ]);
    await expect(readdir(join(into, 'pods/one'))).resolves.toEqual([ '.acl', 'before', 'note.txt' ]);
  });

  it('includes changes, replacements and removals since a file was copied.', async(): Promise<void> => {
    write('gone/note', 'a note');
    await run((line): void => {
      if (line.startsWith('Pods')) {
        write('one/note.txt', 'A NOTE');
        write('two/new', 'new');
        rmSync(join(pods, 'gone'), { recursive: true });
      }
    });
    await expect(readdir(join(into, 'pods'))).resolves.toEqual([ '.internal', 'one', 'two' ]);
    await expect(readFile(join(into, 'pods/one/note.txt'), 'utf8')).resolves.toBe('A NOTE');
    const times = await Promise.all([ pods, join(into, 'pods') ].map(async(root): Promise<number> =>
      (await stat(join(root, 'one'))).mtimeMs));
    // Kept to the millisecond.
    expect(times[0]).toBeCloseTo(times[1], -1);
  });

  describe('with plan requests', (): void => {
    beforeEach((): void => {
      const records = new BetterSqlite3(place.records);
      records.exec(`insert into plan_requests
        (id, organisation_id, reference, received_at, package_by, archived_at, content, srs, given, polygons)
        values ('request', 'us', '', 0, 0, 0, '', '', '', '')`);
      const insert = records.prepare(`insert into plan_packages
        (id, state, request_id, organisation_id, size, received_at, report) values (?, ?, ?, 'us', 1, 0, '{}')`);
      insert.run('new', 'Validating', null);
      insert.run('answer', 'Accepted', 'request');
      insert.run('test', 'Accepted', null);
      insert.run('rejected', 'Rejected', 'request');
      records.close();
      mkdirSync(join(folder, 'plan-packages'));
    });

    it('has the packages that its records refer to, with their digests.', async(): Promise<void> => {
      for (const name of [ 'new', 'answer', 'test', 'rejected', 'orphan' ]) {
        writeFileSync(join(folder, `plan-packages/${name}.zip`), name);
      }
      const { sha256 } = await run((): void => undefined);
      await expect(readdir(join(into, 'plan-packages'))).resolves.toEqual([ 'answer.zip', 'new.zip' ]);
      expect(Object.keys(sha256)).toEqual(expect.arrayContaining([ 'plan-packages/answer.zip' ]));
      await expect(readFile(join(into, 'plan-packages/answer.zip'), 'utf8')).resolves.toBe('answer');
    });

    it('lacks a package whose validation ended since, after which the server has removed its file.', async():
    Promise<void> => {
      writeFileSync(join(folder, 'plan-packages/answer.zip'), 'answer');
      writeFileSync(join(folder, 'plan-packages/new.zip'), 'new');
      const { files } = await run((line): void => {
        if (line.startsWith('Copying the records')) {
          const records = new BetterSqlite3(place.records);
          records.exec(`update plan_packages set state = 'Rejected' where id = 'new'`);
          records.close();
          rmSync(join(folder, 'plan-packages/new.zip'));
        }
      });
      expect(files).toBeGreaterThan(0);
      await expect(readdir(join(into, 'plan-packages'))).resolves.toEqual([ 'answer.zip' ]);
    });

    it('is refused when one of them is missing, and leaves nothing.', async(): Promise<void> => {
      writeFileSync(join(folder, 'plan-packages/new.zip'), 'new');
      await expect(run((): void => undefined)).rejects.toThrow(/--planPackages: the package answer, .* is not in/u);
      await expect(readdir(into)).rejects.toThrow('ENOENT');
    });
  });

  it('includes accounts, and no remains of a crash.', async(): Promise<void> => {
    await run((): void => undefined);
    const names = await readdir(join(into, 'pods/.internal'), { recursive: true });
    expect(names.sort()).toEqual([
      'accounts',
      'accounts/data',
      'accounts/data/1$.json',
      'idp',
      'idp/keys',
      'idp/keys/jwks$.json',
      'setup',
      'setup/current-base-url$.json',
    ]);
  });

  it('can be read by nobody else, and has one file for the records.', async(): Promise<void> => {
    await run((): void => undefined);
    await expect(readdir(into)).resolves.toEqual([ 'backup.json', 'pods', 'records.sqlite' ]);
    expect((await stat(into)).mode & 0o077).toBe(0);
    expect((await stat(join(into, 'records.sqlite'))).mode & 0o077).toBe(0);
    expect((await stat(join(into, 'backup.json'))).mode & 0o077).toBe(0);
  });

  it('lets writes continue if files change for too long, and gives up after some tries.', async(): Promise<void> => {
    const lines: string[] = [];
    await expect(run((line): void => {
      lines.push(line);
      share(`row ${lines.length}`);
    }, 0)).rejects.toThrow('by a snapshot of the file system');
    expect(lines.filter((line): boolean => line.includes('trying again'))).toHaveLength(5);
    // Half a copy of personal data must not be left.
    await expect(readdir(folder)).resolves.toEqual([ 'pods' ]);
  });

  it('is recorded in the audit record, here and in the copy, before anything is copied.', async(): Promise<void> => {
    const { records: { audit }} = await place.open();
    const before = (await audit.list(0, 10)).length;
    const row = { type: 'backup.begun', personal: { operator: userInfo().username }};
    await expect(operate({ ...place, pods }, [ 'backup', '--into', into ])).resolves.toMatchObject({ code: 0 });
    const copy = await openRecordsOf(into, { keys: place.keys, existing: true, clock: (): Date => now });
    for (const log of [ audit, copy.records.audit ]) {
      await expect(log.list(before, 10)).resolves.toMatchObject([{ event: row }]);
    }
    await copy.close();
    // Refused: nothing was copied.
    await expect(operate({ ...place, pods }, [ 'backup', '--into', into ])).resolves.toMatchObject({ code: 1 });
    await expect(audit.list(before, 10)).resolves.toHaveLength(1);
    const elsewhere = join(folder, 'elsewhere');
    await expect(backUp({
      records: place.records,
      rootFilePath: pods,
      planPackages: join(folder, 'plan-packages'),
      known,
      into: elsewhere,
      begin: async(): Promise<void> => {
        throw new Error('no room for the row');
      },
      report: (): void => undefined,
      now: (): Date => now,
    })).rejects.toThrow('no room for the row');
    await expect(readdir(elsewhere)).rejects.toThrow('ENOENT');
  });

  it('is not made of records in PostgreSQL, or without a target.', async(): Promise<void> => {
    await expect(operate(place, [ 'backup' ])).resolves.toMatchObject({ code: 2 });
    const elsewhere = { ...place, records: 'postgres://localhost/none' };
    await expect(operate(elsewhere, [ 'backup', '--into', into ])).resolves
      .toMatchObject({ code: 2, errors: expect.stringContaining('pg_dump') });
    await rm(place.records);
    await expect(run((): void => undefined)).rejects.toThrow('there is no file');
  });
});
