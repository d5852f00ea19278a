/* eslint-disable jest/require-top-level-describe -- a describe that is skipped where there is no compiler */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { withRecordsOf } from '../support/openRecordsOf';
import { removeFolder, temporaryFolder } from '../support/world';

const tools = join(__dirname, 'flushed');
const hasCompiler = process.platform === 'linux' && spawnSync('cc', [ '--version' ]).status === 0;
const describeWithCompiler = hasCompiler ? describe : describe.skip;
const count = 20;

describeWithCompiler(`Records in SQLite${hasCompiler ? '' : ' (skipped: no C compiler)'}`, (): void => {
  let folder: string;

  beforeAll(async(): Promise<void> => {
    folder = await temporaryFolder();
    await mkdir(join(folder, 'flushed'));
    execFileSync('cc', [
      '-shared',
      '-fPIC',
      '-o',
      join(folder, 'keep.so'),
      join(tools, 'keepFlushed.c'),
      '-ldl',
    ]);
  });

  afterAll(async(): Promise<void> => removeFolder(folder));

  /** Resolves when the process has reported so many results, and has been killed. */
  async function suspendAndKill(): Promise<void> {
    const child = spawn(process.execPath, [
      join(tools, 'suspend.js'),
      join(folder, 'records.sqlite'),
      join(folder, 'keys'),
      String(count),
    ], {
      env: { ...process.env, LD_PRELOAD: join(folder, 'keep.so'), KEEP_FLUSHED: join(folder, 'flushed') },
      stdio: [ 'ignore', 'pipe', 'inherit' ],
    });
    let said = '';
    const exited = once(child, 'exit');
    child.stdout.on('data', (bytes: Buffer): void => {
      said += bytes.toString();
      if (said === 'done\n'.repeat(count)) {
        child.kill('SIGKILL');
      }
    });
    await expect(exited).resolves.toEqual([ null, 'SIGKILL' ]);
  }

  /** Reverts each file to its last flush; files that were never flushed are gone. */
  async function cutPower(): Promise<void> {
    for (const name of [ 'records.sqlite', 'records.sqlite-wal', 'records.sqlite-shm' ]) {
      const kept = join(folder, 'flushed', name);
      await rm(join(folder, name), { force: true });
      if (existsSync(kept)) {
        await copyFile(kept, join(folder, name));
      }
    }
  }

  test('lose nothing that was acknowledged before a power cut.', async(): Promise<void> => {
    await suspendAndKill();
    await cutPower();
    await withRecordsOf(folder, async({ records: { audit, suspensions }}): Promise<void> => {
      await expect(suspensions.list()).resolves.toHaveLength(count);
      await expect(audit.check(1)).resolves.toMatchObject({ rows: count, findings: []});
    }, { existing: true });
  });
});
