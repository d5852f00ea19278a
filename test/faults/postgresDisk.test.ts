/* eslint-disable jest/no-standalone-expect -- of a test that is skipped where it is not possible */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isOutage } from '../../src/platform/outage';
import { databaseUrl } from '../support/postgres';
import { sqlOf } from '../support/recordsSql';
import { mountSmallDisk } from './fullDisk';
import { expectSound } from './killAtEveryStep';
import { KillWorld } from './KillWorld';

const space = 'small_disk';
const disk = databaseUrl === undefined ? undefined : mountSmallDisk();
/** Suffix of the test's name where no disk can be filled, and it is skipped. */
const noRoom = disk ? '' : ' (skipped: only root may mount a small disk)';
const itOnDisk = disk ? it : it.skip;

describe('A server', (): void => {
  let world: KillWorld | undefined;

  beforeAll(async(): Promise<void> => {
    if (disk) {
      const place = join(disk.folder, 'tables');
      mkdirSync(place);
      execFileSync('chown', [ 'postgres', place ]);
      await sqlOf(databaseUrl!)(`create tablespace ${space} location '${place}'`);
      world = await KillWorld.start('PostgreSQL', { async through({ records, ...flags }): Promise<typeof flags> {
        const url = new URL(records);
        const options = `${url.searchParams.get('options')} -cdefault_tablespace=${space}`;
        url.searchParams.set('options', options);
        return { ...flags, records: url.href };
      } });
    }
  });

  afterAll(async(): Promise<void> => {
    await world?.stop();
    if (disk) {
      await sqlOf(databaseUrl!)(`drop tablespace if exists ${space}`);
      disk.remove();
    }
  });

  itOnDisk(`whose PostgreSQL has no room${noRoom} says so, reads on, and writes when there is room.`, async():
  Promise<void> => {
    const citizen = await world!.citizen();
    const shared = await world!.shareNew(citizen);
    await world!.keep(citizen, Buffer.from('before'));
    disk!.fill();
    // Longer than the space left in a page.
    const [ put, get ] = await world!.keep(citizen, Buffer.alloc(100_000, 'x'));
    expect([ put?.status, get?.status, get?.body ]).toEqual([ 503, 200, 'before' ]);
    const [ longer ] = await world!.keep(citizen, Buffer.alloc(1_000_000, 'x'));
    expect(longer?.status).toBe(503);
    const made = [];
    for (let count = 0; count < 20; count += 1) {
      made.push((await world!.createWebId(world!.newNumber()))?.status);
    }
    expect(made.filter((status): boolean => status !== 201 && status !== 503)).toEqual([]);
    expect(made).toContain(503);
    expect((await world!.read(shared))?.status).toBe(200);

    disk!.makeRoom();
    await world!.running.passMinute();
    while (await world!.has(`citizens where state <> 'ACTIVE'`)) {
      await setTimeout(50);
    }
    await expectSound(world!, 'PostgreSQL had no room');
    const [ again, found ] = await world!.keep(citizen, Buffer.alloc(100_000, 'x'));
    expect([ again?.status, String(found?.body).length ]).toEqual([ 205, 100_000 ]);
    expect((await world!.read(await world!.shareNew(await world!.citizen())))?.status).toBe(200);
  });

  itOnDisk(`whose PostgreSQL can make no file${noRoom} goes on, and says so where it takes one.`, async():
  Promise<void> => {
    const citizen = await world!.citizen();
    disk!.useUpFiles();
    // An error for which servers return 503.
    const failure = await world!.sql(`create table another (one int) tablespace ${space}`)
      .catch((error: unknown): unknown => error);
    expect(isOutage(failure)).toBe(true);
    const shared = await world!.shareNew(await world!.citizen());
    expect((await world!.read(shared))?.status).toBe(200);
    // A growing table may take one, too.
    const [ put, get ] = await world!.keep(citizen, Buffer.alloc(1_000_000, 'x'));
    expect([[ 201, 200 ], [ 503, 404 ]]).toContainEqual([ put?.status, get?.status ]);
    disk!.makeRoom();
    const [ again, found ] = await world!.keep(citizen, Buffer.alloc(1_000_000, 'y'));
    expect([ again!.status < 300, String(found?.body).length ]).toEqual([ true, 1_000_000 ]);
    await expectSound(world!, 'PostgreSQL could make no file');
  });
});
