import { execFileSync } from 'node:child_process';
import { cp, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { NationalNumber } from '../../../../src/identity/NationalNumber';
import { parseWebId } from '../../../../src/platform/webId';
import type { CommandAnswer } from '../../../support/commandLine';
import { operate } from '../../../support/commandLine';
import type { Installation } from '../../../support/installation';
import { installedBase, makeInstallation } from '../../../support/installation';

describe('A backup is refused at once, with nothing made and no row in the audit record,', (): void => {
  let mine: Installation;
  let other: Installation;

  beforeEach(async(): Promise<void> => {
    mine = await makeInstallation();
    other = await makeInstallation([ 'cas', 'dirk' ]);
  });

  afterEach(async(): Promise<void> => {
    await mine.remove();
    await other.remove();
  });

  async function backUp(pods = mine.pods, into = join(mine.folder, 'backup')): Promise<CommandAnswer> {
    return operate({ ...mine.on, pods }, [ 'backup', '--into', into ]);
  }

  /** Expects that the command takes a second or so, and gives the reason in one sentence. */
  async function expectRefused(work: Promise<CommandAnswer>, why: RegExp): Promise<void> {
    const { records: { audit }} = await mine.place.open();
    const rows = (await audit.list(0, 100)).length;
    const begun = performance.now();
    await expect(work).resolves.toMatchObject({ code: 1, output: '', errors: expect.stringMatching(why) });
    expect(performance.now() - begun).toBeLessThan(20_000);
    await expect(readdir(mine.folder)).resolves.not.toContain('backup');
    await expect(audit.list(0, 100)).resolves.toHaveLength(rows);
  }

  it('of missing pods.', async(): Promise<void> => {
    await expectRefused(backUp(join(mine.folder, 'pod')), /-f\): there is no folder .*pod\. Give/u);
  });

  it('of an empty folder.', async(): Promise<void> => {
    await mkdir(join(mine.folder, 'empty'));
    await expectRefused(backUp(join(mine.folder, 'empty')), /-f\): .*empty is empty/u);
  });

  it('of a folder that is a file.', async(): Promise<void> => {
    await writeFile(join(mine.folder, 'file'), '');
    await expectRefused(backUp(join(mine.folder, 'file')), /-f\): .*file cannot be read as a folder/u);
  });

  it('of a folder of another kind.', async(): Promise<void> => {
    await expectRefused(backUp(__dirname), /-f\): no server has ever used/u);
  });

  it('of pods whose note of the base URL is damaged.', async(): Promise<void> => {
    await mine.write('.internal/setup/current-base-url$.json', '{"key":');
    await expectRefused(backUp(), /current-base-url.* cannot be read/u);
  });

  it('of the pods of another base URL.', async(): Promise<void> => {
    const elsewhere = await makeInstallation([ 'ann', 'ben' ], 'https://elsewhere.example/');
    const both = /belong to https:\/\/elsewhere\.example\/, and .* https:\/\/pod\.example\//u;
    await expectRefused(backUp(elsewhere.pods), both);
    await elsewhere.remove();
  });

  it('of the pods of another service.', async(): Promise<void> => {
    await expectRefused(backUp(other.pods), /the pods of 2 citizens on record, such as ann, are not in/u);
  });

  it('of pods from which one is missing.', async(): Promise<void> => {
    await rm(join(mine.pods, 'ben'), { recursive: true });
    await expectRefused(backUp(), /the pods of 1 citizens on record, such as ben, are not in/u);
  });

  it('of pods with the accounts of another service.', async(): Promise<void> => {
    await rm(join(mine.pods, '.internal/accounts'), { recursive: true });
    await cp(join(other.pods, '.internal/accounts'), join(mine.pods, '.internal/accounts'), { recursive: true });
    await expectRefused(backUp(), /the accounts in .* do not belong to these records/u);
  });

  it('of pods with accounts, by records that have none.', async(): Promise<void> => {
    new BetterSqlite3(mine.place.records).exec(`delete from citizens; delete from server_secrets`).close();
    await expectRefused(backUp(), /the accounts in .* do not belong to these records/u);
  });

  it.each([
    [ '/proc/backup', /--into: nothing can be written to \/proc\/backup: ENOENT/u ],
    [ '/proc/one/two/three', /--into: nothing can be written to/u ],
    [ '/proc/self', /--into: \/proc\/self is not empty/u ],
    [ '/dev/null', /--into: \/dev\/null is not a folder/u ],
    [ '/dev/null/backup', /--into: .*cannot be reached: ENOTDIR/u ],
    [ '/sys/backup', /--into: nothing can be written to/u ],
    [ `/tmp/${'x'.repeat(300)}`, /--into: .* cannot be reached: ENAMETOOLONG/u ],
  ])('into %s.', async(into, why): Promise<void> => {
    await expectRefused(backUp(mine.pods, into), why);
  });

  it('into the pods, or a folder around them.', async(): Promise<void> => {
    await expectRefused(backUp(mine.pods, join(mine.pods, 'backup')), /--into .*must not contain each other/u);
    await expectRefused(backUp(mine.pods, mine.folder), /--into .*must not contain each other/u);
  });

  it('when there is something that no server wrote and that cannot be copied.', async(): Promise<void> => {
    execFileSync('mkfifo', [ join(mine.pods, 'ann/pipe') ]);
    const { errors } = await backUp();
    expect(errors).toMatch(/pipe is neither a file nor a folder/u);
    await rm(join(mine.pods, 'ann/pipe'));
    await symlink(mine.pods, join(mine.pods, 'ann/again'));
    await expect(backUp()).resolves.toMatchObject({ code: 1, errors: expect.stringContaining('a link to a folder') });
    await rm(join(mine.pods, 'ann/again'));
    const name = Buffer.concat([ Buffer.from(join(mine.pods, 'ann/')), Buffer.from([ 0xE9 ]) ]);
    await writeFile(name, '');
    await expect(backUp()).resolves.toMatchObject({ code: 1, errors: expect.stringContaining('is not UTF-8') });
    await rm(name);
    await expect(readdir(mine.folder)).resolves.toEqual([ 'pods' ]);
  });

  it('but not for a dangling link, a name in any script, or a pod that is being created.', async(): Promise<void> => {
    await symlink(join(mine.folder, 'nowhere'), join(mine.pods, 'ann/link'));
    await symlink(join(mine.pods, 'ann/self'), join(mine.pods, 'ann/self'));
    await mine.write('ann/\uFFFD-é-名.txt', 'a name');
    await mkdir(join(mine.folder, 'disk'));
    await rename(join(mine.pods, 'ben'), join(mine.folder, 'disk/ben'));
    await symlink(join(mine.folder, 'disk/ben'), join(mine.pods, 'ben'));
    const { records: { citizens }} = await mine.place.open();
    await citizens.insertOrGet({
      id: 'eva',
      webId: parseWebId(`${installedBase}eva/profile/card#me`),
      podUrl: `${installedBase}eva/`,
      nationalNumber: NationalNumber.stored('85010100307'),
      createdAt: new Date(),
    });
    await expect(backUp()).resolves.toMatchObject({ code: 0 });
    await expect(readdir(join(mine.folder, 'backup/pods/ann'))).resolves
      .toEqual([ '.acl', 'profile', '\uFFFD-é-名.txt' ]);
    await expect(readdir(join(mine.folder, 'backup/pods/ben'))).resolves.toEqual([ '.acl', 'profile' ]);
  });

  it('when the pods disappear while they are copied.', async(): Promise<void> => {
    const taken = operate(mine.on, [ 'backup', '--into', join(mine.folder, 'backup') ]);
    await rename(mine.pods, join(mine.folder, 'gone'));
    await expect(taken).resolves.toMatchObject({ code: 1 });
    await expect(readdir(mine.folder)).resolves.toEqual([ 'gone' ]);
  });
});
