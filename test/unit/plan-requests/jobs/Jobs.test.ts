import { randomUUID } from 'node:crypto';
import { readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Jobs } from '../../../../src/plan-requests/jobs/Jobs';
import type { JobOutcome } from '../../../../src/plan-requests/jobs/Jobs';
import { PackageFiles } from '../../../../src/plan-requests/packages/PackageFiles';
import type { Job, PlanRecords } from '../../../../src/plan-requests/PlanStores';
import { jobKinds } from '../../../../src/plan-requests/PlanStores';
import { SqlJobStore } from '../../../../src/plan-requests/storage/SqlJobStore';
import { StorageFull } from '../../../../src/problems';
import type { OpenDatabase } from '../../../../src/storage/database/engine';
import { openDatabase } from '../../../../src/storage/database/engine';
import { migrate } from '../../../../src/storage/migrate';
import { removeFolder, temporaryFolder } from '../../../support/world';

const start = new Date('2026-11-23T08:00:00Z');

function after(seconds: number): Date {
  return new Date(start.getTime() + (seconds * 1000));
}

describe('Jobs of plan requests', (): void => {
  let database: OpenDatabase;
  let store: SqlJobStore;
  let folder: string;

  beforeEach(async(): Promise<void> => {
    folder = await temporaryFolder();
    database = await openDatabase(join(folder, 'records.sqlite'));
    await migrate(database, (): Date => start);
    store = new SqlJobStore(database.db, randomUUID);
  });

  afterEach(async(): Promise<void> => {
    await database.db.destroy();
    await removeFolder(folder);
  });

  async function claim(holder: string, at: Date, until: Date): Promise<Job | undefined> {
    return store.claim(holder, at, jobKinds, (): Date => until);
  }

  it('belong to one process, until it stops renewing them.', async(): Promise<void> => {
    await store.add('validate', 'a', start);
    await expect(claim('one', after(-1), after(14))).resolves.toBeUndefined();
    const job = await claim('one', start, after(15));
    expect(job).toMatchObject({ kind: 'validate', subject: 'a', attempts: 1 });
    await expect(claim('two', after(14), after(29))).resolves.toBeUndefined();
    await expect(store.keep(job!.id, 'one', after(25))).resolves.toBe(true);
    await expect(claim('two', after(24), after(39))).resolves.toBeUndefined();
    await expect(claim('two', after(25), after(40))).resolves.toMatchObject({ subject: 'a', attempts: 2 });
    await expect(store.keep(job!.id, 'one', after(60))).resolves.toBe(false);
    await expect(store.end(job!.id, 'one')).resolves.toBe(false);
    await expect(store.end(job!.id, 'two')).resolves.toBe(true);
    await expect(claim('one', after(100), after(115))).resolves.toBeUndefined();
  });

  it('wait for their next attempt, also when another process made one in between.', async(): Promise<void> => {
    await store.add('announce', 'a', start);
    const other = await openDatabase(join(folder, 'records.sqlite'));
    const elsewhere = new SqlJobStore(other.db, randomUUID);
    // The other process fails at once, between the look for due jobs and the claim.
    const overtaken = new SqlJobStore(database.db.withPlugin({
      transformQuery: ({ node }): typeof node => node,
      async transformResult({ result }): Promise<typeof result> {
        const job = await elsewhere.claim('two', start, jobKinds, (): Date => after(15));
        await elsewhere.end(job?.id ?? '', 'two', after(120));
        return result;
      },
    }), randomUUID);
    await expect(overtaken.claim('one', start, jobKinds, (): Date => after(15))).resolves.toBeUndefined();
    await other.db.destroy();
    await expect(claim('one', after(119), after(134))).resolves.toBeUndefined();
    await expect(claim('one', after(120), after(135))).resolves.toMatchObject({ subject: 'a', attempts: 2 });
  });

  it('start anew when added again, after an attempt that is under way.', async(): Promise<void> => {
    await store.add('announce', 'a', start);
    const job = await claim('one', start, after(15));
    await store.add('announce', 'a', after(1));
    await expect(store.end(job!.id, 'one')).resolves.toBe(false);
    await expect(claim('two', after(1), after(16))).resolves.toBeUndefined();
    for (const other of [{ ...job!, subject: 'b' }, { ...job!, kind: 'mail' as const }]) {
      await store.release(other, 'one');
    }
    await store.release(job!, 'two');
    await expect(claim('two', after(1), after(16))).resolves.toBeUndefined();
    await store.release(job!, 'one');
    const again = await claim('two', after(1), after(16));
    expect(again).toMatchObject({ subject: 'a', attempts: 1 });
    // The hold of another process is its own.
    await store.release(again!, 'two');
    await expect(claim('one', after(15), after(30))).resolves.toBeUndefined();
    // A process that ended with its attempt lets go of nothing.
    await store.add('announce', 'a', after(2));
    await expect(claim('one', after(16), after(31))).resolves.toMatchObject({ subject: 'a', attempts: 1 });
  });

  it('make no attempt while one at an earlier state is under way.', async(): Promise<void> => {
    const records = {
      jobs: store,
      transaction: async<T>(work: (stores: unknown) => Promise<T>): Promise<T> => work({ jobs: store }),
    } as unknown as PlanRecords;
    const log: string[] = [];
    function jobsOf(holder: string, attempt: () => Promise<void>): Jobs {
      async function announce({ attempts }: Job): Promise<JobOutcome> {
        log.push(`${holder} begins attempt ${attempts}`);
        await attempt();
        log.push(`${holder} ends`);
        return async(): Promise<undefined> => {
          log.push(`${holder} writes`);
        };
      }
      return new Jobs({ records, holder, work: { announce }, logger: {} as never, now: (): Date => start });
    }
    const others = jobsOf('another', async(): Promise<void> => { /* At once. */ });
    const jobs = jobsOf('one', async(): Promise<void> => {
      if (log.length === 1) {
        await store.add('announce', 'a', start);
        await others.run();
      }
    });
    await store.add('announce', 'a', start);
    await jobs.run();
    while (jobs.isBusy) {
      await new Promise(setImmediate);
    }
    expect(log).toEqual([ 'one begins attempt 1', 'one ends', 'one begins attempt 1', 'one ends', 'one writes' ]);
  });

  it('run as others end, two of a kind at once.', async(): Promise<void> => {
    const records = {
      jobs: store,
      transaction: async<T>(work: (stores: unknown) => Promise<T>): Promise<T> => work({ jobs: store }),
    } as unknown as PlanRecords;
    const [ done, atOnce ] = [ new Set<string>(), new Set<number>() ];
    let running = 0;
    async function mail({ subject }: Job): Promise<JobOutcome> {
      running += 1;
      atOnce.add(running);
      await new Promise(setImmediate);
      return async(): Promise<undefined> => {
        running -= 1;
        done.add(subject);
      };
    }
    const jobs = new Jobs({ records, holder: 'one', work: { mail }, logger: {} as never, now: (): Date => start });
    const subjects = [ 'a', 'b', 'c', 'd', 'e', 'f', 'g' ];
    for (const subject of subjects) {
      await store.add('mail', subject, start);
    }
    await jobs.run();
    while (jobs.isBusy) {
      await new Promise(setImmediate);
    }
    expect([ ...done ].sort()).toEqual(subjects);
    expect(Math.max(...atOnce)).toBe(2);
  });

  it('have ended when a stop has: the records are closed afterwards.', async(): Promise<void> => {
    const log: string[] = [];
    const records = {
      jobs: store,
      transaction: async<T>(work: (stores: unknown) => Promise<T>): Promise<T> => work({ jobs: store }),
    } as unknown as PlanRecords;
    const ends: (() => void)[] = [];
    async function mail(): Promise<JobOutcome> {
      await new Promise<void>((resolve): unknown => ends.push(resolve));
      return async(): Promise<undefined> => {
        log.push('written');
      };
    }
    const jobs = new Jobs({ records, holder: 'one', work: { mail }, logger: {} as never, now: (): Date => start });
    await store.add('mail', 'a', start);
    await jobs.run();
    const stopped = jobs.stop().then((): unknown => log.push('stopped'));
    await store.add('mail', 'b', start);
    ends[0]();
    await stopped;
    expect(log).toEqual([ 'written', 'stopped' ]);
    await jobs.run();
    await expect(claim('two', start, after(15))).resolves.toMatchObject({ subject: 'b', attempts: 1 });
  });

  it('claimed while the process stops are due at once for another.', async(): Promise<void> => {
    let stop: (() => Promise<void>) | undefined;
    let stopped: Promise<void> | undefined;
    const claiming = Object.assign(Object.create(store) as SqlJobStore, {
      claim: async(...args: Parameters<SqlJobStore['claim']>): Promise<Job | undefined> => {
        const job = await store.claim(...args);
        stopped ??= stop?.();
        return job;
      },
    });
    const jobs = new Jobs({
      records: { jobs: claiming } as unknown as PlanRecords,
      holder: 'one',
      work: { mail: async(): Promise<never> => {
        throw new Error('It begins.');
      } },
      logger: {} as never,
      now: (): Date => start,
    });
    stop = async(): Promise<void> => jobs.stop();
    await store.add('mail', 'a', start);
    await jobs.run();
    await stopped;
    await expect(claim('two', start, after(15))).resolves.toMatchObject({ subject: 'a' });
  });

  it('of one kind wait for none of another: an answer for no test.', async(): Promise<void> => {
    const records = {
      jobs: store,
      transaction: async<T>(work: (stores: unknown) => Promise<T>): Promise<T> => work({ jobs: store }),
    } as unknown as PlanRecords;
    const ends: (() => void)[] = [];
    const done: string[] = [];
    function outcome({ subject }: Job): JobOutcome {
      return async(): Promise<undefined> => {
        done.push(subject);
      };
    }
    const work = {
      test: async(job: Job): Promise<JobOutcome> => {
        await new Promise<void>((resolve): unknown => ends.push(resolve));
        return outcome(job);
      },
      validate: async(job: Job): Promise<JobOutcome> => outcome(job),
    };
    const jobs = new Jobs({ records, holder: 'one', work, logger: {} as never, now: (): Date => start });
    for (const subject of [ 'a', 'b', 'c' ]) {
      await store.add('test', subject, start);
    }
    await store.add('validate', 'answer', start);
    await jobs.run();
    while (done.length === 0) {
      await new Promise(setImmediate);
    }
    expect([ done, ends.length ]).toEqual([[ 'answer' ], 2 ]);
    while (jobs.isBusy) {
      ends.shift()?.();
      await new Promise(setImmediate);
    }
    expect(done.sort()).toEqual([ 'a', 'answer', 'b', 'c' ]);
  });

  it('are retried on failure, later each time, and end with their outcome.', async(): Promise<void> => {
    let now = start;
    const records = {
      jobs: store,
      transaction: async<T>(work: (stores: unknown) => Promise<T>): Promise<T> => work({ jobs: store }),
    } as unknown as PlanRecords;
    const outcomes: string[] = [];
    async function validate({ attempts }: Job): Promise<JobOutcome> {
      if (attempts < 3) {
        throw new Error('broken');
      }
      return async(): Promise<undefined> => {
        outcomes.push(`done at attempt ${attempts}`);
      };
    }
    const messages: string[] = [];
    const logger = { error: (message: string): number => messages.push(message) } as never;
    const jobs = new Jobs({ records, holder: 'one', work: { validate }, logger, now: (): Date => now });
    async function run(): Promise<void> {
      await jobs.run();
      while (jobs.isBusy) {
        await new Promise(setImmediate);
      }
    }
    await store.add('validate', 'a', start);
    await run();
    now = after(19);
    await run();
    expect(messages).toHaveLength(1);
    now = after(20);
    await run();
    expect(messages).toHaveLength(2);
    now = after(60);
    await run();
    expect(outcomes).toEqual([ 'done at attempt 3' ]);
    now = after(10_000);
    await run();
    expect([ outcomes.length, messages.length ]).toEqual([ 1, 2 ]);
  });
});

async function* bytes(): AsyncGenerator<Buffer> {
  yield Buffer.alloc(1024);
}

describe('Files of packages', (): void => {
  it('leave nothing behind on a full disk.', async(): Promise<void> => {
    const folder = await temporaryFolder();
    const files = new PackageFiles(folder);
    await symlink('/dev/full', join(folder, 'a.zip'));
    await expect(files.receive('a', bytes())).rejects.toThrow(StorageFull);
    await expect(readdir(folder)).resolves.toEqual([]);
    await removeFolder(folder);
  });
});
