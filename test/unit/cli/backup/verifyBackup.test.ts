import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import type { BackupNote } from '../../../../src/cli/backup/BackupFolder';
import type { CommandAnswer } from '../../../support/commandLine';
import { operate } from '../../../support/commandLine';
import type { Installation } from '../../../support/installation';
import { makeInstallation } from '../../../support/installation';

describe('The command that verifies a backup', (): void => {
  let mine: Installation;
  let made: CommandAnswer;
  let backup: string;

  beforeAll(async(): Promise<void> => {
    mine = await makeInstallation();
    await mkdir(join(mine.pods, 'ann/empty'));
    made = await operate(mine.on, [ 'backup', '--into', join(mine.folder, 'whole') ]);
  });

  beforeEach(async(): Promise<void> => {
    backup = join(mine.folder, 'backup');
    await cp(join(mine.folder, 'whole'), backup, { recursive: true });
  });

  afterEach(async(): Promise<void> => rm(backup, { recursive: true }));

  afterAll(async(): Promise<void> => mine.remove());

  async function verify(folder = backup, keys = mine.on.keys): Promise<CommandAnswer> {
    return operate({ ...mine.on, keys }, [ 'backup', 'verify', folder ]);
  }

  async function readNote(): Promise<BackupNote & { digest: string }> {
    return JSON.parse(await readFile(join(backup, 'backup.json'), 'utf8')) as BackupNote & { digest: string };
  }

  /** Writes a custom note, with a correct digest. */
  async function forge(change: (note: BackupNote) => void): Promise<void> {
    const { digest, ...note } = await readNote();
    change(note);
    const body = JSON.stringify(note, undefined, 2).slice(0, -2);
    const other = createHash('sha256').update(body).digest('hex');
    expect(other).not.toBe(digest);
    await writeFile(join(backup, 'backup.json'), `${body},\n  "digest": "${other}"\n}\n`);
  }

  async function expectFindings(...findings: string[]): Promise<void> {
    const { code, output } = await verify();
    expect(output.trim().split('\n').slice(0, -1)).toEqual(findings);
    expect(output).toMatch(/The backup of 20.*Z is not whole\.\n$/u);
    expect(code).toBe(3);
  }

  it('reports a complete one as good, and changes nothing.', async(): Promise<void> => {
    expect(made).toMatchObject({ code: 0 });
    const before = await readdir(backup, { recursive: true });
    const { code, output } = await verify();
    const { audit, digest, files, made: moment } = await readNote();
    expect(output).toBe(`The backup of ${moment} is whole: the records, and ${files} files.\n` +
      `The audit record ends with row ${audit.sequence}, whose hash is ${audit.hash}.\n` +
      `The digest of the whole is ${digest}.\n`);
    expect(made.output).toContain(`The digest of the whole is ${digest}: keep it in another place.`);
    expect(code).toBe(0);
    await expect(readdir(backup, { recursive: true })).resolves.toEqual(before);
    await expect(verify()).resolves.toMatchObject({ code: 0 });
  });

  it('has a digest of every file that sha256sum agrees with, and every folder.', async(): Promise<void> => {
    const { files, folders, sha256 } = await readNote();
    const entries = await readdir(backup, { recursive: true, withFileTypes: true });
    const all = entries.filter((entry): boolean => entry.isFile())
      .map(({ name, parentPath }): string => join(parentPath, name).slice(backup.length + 1))
      .filter((name): boolean => name !== 'backup.json');
    expect(Object.keys(sha256)).toEqual(all.sort());
    expect(files).toBe(all.length - 1);
    expect(folders).toContain('pods/ann/empty');
    for (const [ path, digest ] of Object.entries(sha256)) {
      expect(createHash('sha256').update(await readFile(join(backup, path))).digest('hex')).toBe(digest);
    }
  });

  it.each([
    [ 'pods/ann/.acl' ],
    [ 'pods/ben/profile/card$.ttl' ],
    [ 'pods/.internal/setup/current-base-url$.json' ],
    [ 'records.sqlite' ],
  ])('names %s when it is missing, cut off, longer, empty or a link.', async(path): Promise<void> => {
    const file = join(backup, path);
    const content = await readFile(file);
    await writeFile(file, content.subarray(0, -1));
    await expectFindings(`damaged: ${path}`);
    await writeFile(file, Buffer.concat([ content, Buffer.from([ 0 ]) ]));
    await expectFindings(`damaged: ${path}`);
    await writeFile(file, '');
    await expectFindings(`damaged: ${path}`);
    await rm(file);
    await expectFindings(`missing: ${path}`);
    await writeFile(join(mine.folder, 'elsewhere'), content);
    await symlink(join(mine.folder, 'elsewhere'), file);
    await expectFindings(`extra: ${path}`, `missing: ${path}`);
    await rm(file);
    await writeFile(file, content);
    await expect(verify()).resolves.toMatchObject({ code: 0 });
  });

  it('names both of two files that were swapped, whatever else is right.', async(): Promise<void> => {
    const [ one, two ] = [ join(backup, 'pods/ann/.acl'), join(backup, 'pods/ben/.acl') ];
    await rename(one, join(backup, 'pods/kept'));
    await rename(two, one);
    await rename(join(backup, 'pods/kept'), two);
    await expectFindings('damaged: pods/ann/.acl', 'damaged: pods/ben/.acl');
  });

  it('names additional files, and missing folders.', async(): Promise<void> => {
    await writeFile(join(backup, 'pods/ann/.acl.bak'), '');
    await mkdir(join(backup, 'pods/eve'));
    await writeFile(join(backup, 'records.sqlite-wal'), 'later');
    await rm(join(backup, 'pods/ann/empty'), { recursive: true });
    await expectFindings(
      'extra: pods/ann/.acl.bak',
      'extra: pods/eve',
      'extra: records.sqlite-wal',
      'missing: pods/ann/empty/',
    );
  });

  it('reports a damaged note.', async(): Promise<void> => {
    const file = join(backup, 'backup.json');
    const text = await readFile(file, 'utf8');
    for (const [ from, to ] of [[ '"files": ', '"files":  ' ], [ '"digest": "', '"digest": "0' ], [ 'Z"', 'z"' ]]) {
      await writeFile(file, text.replace(from, to));
      const { code, output } = await verify();
      expect(output).toMatch(/^damaged: backup\.json\n/u);
      expect(code).toBe(3);
    }
  });

  it.each([
    [ 'is cut off', (text: string): string => text.slice(0, -20), /backup\.json cannot be read/u ],
    [ 'is empty', (): string => '', /backup\.json cannot be read/u ],
    [ 'is null', (): string => 'null', /no digests/u ],
    [ 'is of an earlier version', (): string => '{"made":"x","files":3}', /no digests/u ],
  ])('rejects a note that %s.', async(_how, change, why): Promise<void> => {
    const file = join(backup, 'backup.json');
    await writeFile(file, change(await readFile(file, 'utf8')));
    await expect(verify()).resolves.toMatchObject({ code: 1, output: '', errors: expect.stringMatching(why) });
  });

  it('rejects a note that is no file, and would never end.', async(): Promise<void> => {
    const file = join(backup, 'backup.json');
    await rm(file);
    execFileSync('mkfifo', [ file ]);
    const expected = { code: 1, output: '', errors: expect.stringMatching(/backup\.json cannot be read/u) };
    await expect(verify()).resolves.toMatchObject(expected);
    await rm(file);
    await symlink('/dev/zero', file);
    await expect(verify()).resolves.toMatchObject(expected);
  });

  it('rejects a note that is too large, or lacks the end of the audit record.', async(): Promise<void> => {
    const file = join(backup, 'backup.json');
    await writeFile(file, JSON.stringify({ ...await readNote(), audit: undefined }));
    await expect(verify()).resolves.toMatchObject({ code: 1, errors: expect.stringContaining('it is damaged') });
    // Sparse: takes no room.
    await truncate(file, 3 * (1024 ** 3));
    await expect(verify()).resolves
      .toMatchObject({ code: 1, errors: `${backup} is damaged: backup.json cannot be read, and without it the backup ` +
        'cannot be verified.\n' });
  });

  it('lets no name of a file forge a line, or send commands to the terminal.', async(): Promise<void> => {
    await writeFile(join(backup, 'pods/a\u001B[2J\u009B1m\u202Eb\nThe backup of today is whole.'), '');
    const { code, output } = await verify();
    expect(output.trimEnd().split('\n')).toEqual([
      'extra: pods/a\\u001b[2J\\u009b1m\\u202eb',
      '    The backup of today is whole.',
      expect.stringMatching(/not whole/u),
    ]);
    expect(code).toBe(3);
  });

  it('rejects what is unfinished, or not a backup.', async(): Promise<void> => {
    await rename(join(backup, 'backup.json'), join(backup, 'backup.json.part'));
    await expect(verify()).resolves.toMatchObject({ code: 1, errors: expect.stringContaining('was interrupted') });
    await rm(join(backup, 'backup.json.part'));
    for (const folder of [ backup, mine.pods, mine.place.records, join(mine.folder, 'nowhere'), '/proc/self' ]) {
      await expect(verify(folder)).resolves.toMatchObject({ code: 1, output: '' });
    }
    await expect(operate(mine.on, [ 'backup', 'verify' ])).resolves.toMatchObject({ code: 2 });
  });

  /** Changes records as a person who can write everything but the keys. */
  async function changeRecords(sql: string): Promise<void> {
    new BetterSqlite3(join(backup, 'records.sqlite')).exec(sql).close();
    const content = await readFile(join(backup, 'records.sqlite'));
    await forge((note): void => {
      note.sha256['records.sqlite'] = createHash('sha256').update(content).digest('hex');
    });
  }

  it('finds what no digest shows: a broken audit record, and others\' pods.', async(): Promise<void> => {
    await changeRecords(`update audit_rows set facts = '{"a":1}' where sequence = 2`);
    await expectFindings('The audit record is not intact. Row 2: the row was changed.');
    await changeRecords(`update audit_rows set facts = '{}' where sequence = 2`);
    await rm(join(backup, 'pods/ben'), { recursive: true });
    await forge((note): void => {
      note.folders = note.folders.filter((path): boolean => !path.startsWith('pods/ben'));
      note.sha256 = Object.fromEntries(Object.entries(note.sha256)
        .filter(([ path ]): boolean => !path.startsWith('pods/ben/')));
    });
    const pods = join(backup, 'pods');
    await expectFindings('The pods do not match the records: ' +
      `the pods of 1 citizens on record, such as ben, are not in ${pods}.`);
  });

  it('finds rows that refer to missing rows.', async(): Promise<void> => {
    await changeRecords(`pragma foreign_keys = off; insert into grant_purposes
      (grant_id, purpose, subject, recipient, issued_at, kind, state) values ('x', 'x', 'x', 'x', 0, 'grant', 'open')`);
    await expectFindings('damaged: records.sqlite: ' +
      'a row of grant_purposes refers to a missing row of access_grants');
  });

  it('needs the keys that belong to it, and creates none.', async(): Promise<void> => {
    const none = join(mine.folder, 'none');
    await expect(verify(backup, none)).resolves.toMatchObject({ code: 1, errors: expect.stringContaining('--keys') });
    await expect(readdir(mine.folder)).resolves.not.toContain('none');
    const other = await makeInstallation();
    await expect(verify(backup, other.on.keys)).resolves
      .toMatchObject({ code: 1, errors: expect.stringContaining('--keys') });
    await other.remove();
  });
});
