import type { Clock } from '../../platform/clock';
import { messageOf } from '../../platform/errors';
import { inTime } from '../../platform/inTime';
import type { Logger } from '../../platform/logger';
import type { Job, JobKind, PlanRecords, PlanStores } from '../PlanStores';
import { jobKinds } from '../PlanStores';

/** Writes the outcome of a job; returns the time of the next attempt, if there is one. */
export type JobOutcome = (stores: PlanStores) => Promise<Date | undefined>;

/**
 * Does a job. May run again after a process has ended, so everything outside of the outcome must be repeatable.
 *
 * @param job - The job.
 * @param signal - Aborted when another process holds the job, or this one stops.
 *
 * @returns Writes the outcome in one transaction with the end of the job: only once, by the process that still holds
 * it.
 */
export type JobWork = (job: Job, signal: AbortSignal) => Promise<JobOutcome>;

/** Dependencies of {@link Jobs}. */
export interface JobsOptions {
  records: PlanRecords;
  /** Id of this process among all that share the records. */
  holder: string;
  /** Work by kind of job; jobs of other kinds are left to other processes. */
  work: Partial<Record<JobKind, JobWork>>;
  /** Called after the end of a job, unless the process ends in between. */
  ended?: Partial<Record<JobKind, (job: Job) => Promise<void>>>;
  logger: Logger;
  now: Clock;
}

/**
 * Time after which another process takes over: longer than an attempt, so that two attempts to announce never overlap.
 */
const heldMs: Record<JobKind, number> = {
  announce: 120_000,
  mail: 60_000,
  remind: 15_000,
  test: 15_000,
  validate: 15_000,
};
/** Maximum concurrent jobs of each kind, so that neither a slow registry nor tests of packages delay an answer. */
const atOnce = 2;
const pauseMs = 10_000;
const maxPauseMs = 600_000;
/** Maximum time for jobs to end when the process stops. */
const maxStopMs = 10_000;

/** A job that is being done. */
interface RunningJob {
  kind: JobKind;
  controller: AbortController;
  end: Promise<void>;
}

/** Does the jobs in the records, each once over all processes. When a process ends within a job, another takes over. */
export class Jobs {
  private readonly options: JobsOptions;
  private readonly running = new Map<string, RunningJob>();
  private isStopped = false;
  private beginning?: Promise<void>;
  private isAskedAgain = false;

  public constructor(options: JobsOptions) {
    this.options = options;
  }

  /** True while jobs are running or being started. */
  public get isBusy(): boolean {
    return this.beginning !== undefined || this.running.size > 0;
  }

  /** Starts due jobs, and others as those end. Called every second: it does not wait for the jobs. */
  public async run(): Promise<void> {
    this.isAskedAgain = true;
    if (!this.beginning) {
      this.beginning = this.beginAll();
      await this.beginning;
    }
  }

  /**
   * Aborts running jobs, which another process does again, and waits until they have ended: the records are closed
   * afterwards.
   */
  public async stop(): Promise<void> {
    this.isStopped = true;
    for (const { controller } of this.running.values()) {
      controller.abort();
    }
    await inTime(maxStopMs, async(): Promise<void> => this.idle()).catch((): void => {
      this.options.logger.warn('Stopped within jobs of plan requests: another process does them again.');
    });
  }

  private async idle(): Promise<void> {
    while (this.isBusy) {
      const ends = [ ...this.running.values() ].map(async({ end }): Promise<void> => end);
      await Promise.allSettled([ this.beginning, ...ends ]);
    }
  }

  private async beginAll(): Promise<void> {
    try {
      while (this.isAskedAgain) {
        this.isAskedAgain = false;
        await this.begin();
      }
    } finally {
      this.beginning = undefined;
    }
  }

  private async begin(): Promise<void> {
    const { holder, logger, now, records } = this.options;
    for (let kinds = this.free(); kinds.length > 0 && !this.isStopped; kinds = this.free()) {
      const at = now();
      const job = await records.jobs.claim(holder, at, kinds, (kind): Date => new Date(at.getTime() + heldMs[kind]));
      if (!job) {
        return;
      }
      if (this.isStopped) {
        // Claimed just before the stop: due at once, for another process.
        await records.jobs.end(job.id, holder, at);
        return;
      }
      const controller = new AbortController();
      const end = this.perform(job, controller)
        .finally(async(): Promise<void> => {
          this.running.delete(job.id);
          await this.run();
        })
        .catch((error: unknown): void => logger.error(`A job of plan requests failed: ${messageOf(error)}`));
      this.running.set(job.id, { kind: job.kind, controller, end });
    }
  }

  /** Returns the kinds of which more jobs can start now. */
  private free(): JobKind[] {
    const kinds = [ ...this.running.values() ].map(({ kind }): JobKind => kind);
    return jobKinds.filter((kind): boolean => this.options.work[kind] !== undefined &&
      kinds.filter((each): boolean => each === kind).length < atOnce);
  }

  private async perform(job: Job, controller: AbortController): Promise<void> {
    const { ended, holder, logger, now, records, work } = this.options;
    function until(): Date {
      return new Date(now().getTime() + heldMs[job.kind]);
    }
    const timer = setInterval((): void => {
      records.jobs.keep(job.id, holder, until()).then((isOurs): void => {
        if (!isOurs) {
          controller.abort();
        }
      }).catch((error: unknown): void => {
        logger.warn(`A job of plan requests could not be kept, and may start again elsewhere: ${messageOf(error)}`);
      });
    }, heldMs[job.kind] / 3).unref();
    let hasEnded = false;
    try {
      // Only kinds with work are taken.
      const write = await work[job.kind]!(job, controller.signal);
      const again = await records.transaction(async(stores): Promise<boolean> => {
        // Renewed first, so that no other process takes the job meanwhile.
        if (!await stores.jobs.keep(job.id, holder, until())) {
          return true;
        }
        const dueAt = await write(stores);
        await stores.jobs.end(job.id, holder, dueAt);
        return dueAt !== undefined;
      });
      hasEnded = !again;
    } catch (error: unknown) {
      if (!controller.signal.aborted) {
        logger.error(`A job of plan requests failed (${job.kind}): ${messageOf(error)}`);
        await this.postpone(job);
      }
    } finally {
      clearInterval(timer);
    }
    if (hasEnded) {
      await ended?.[job.kind]?.(job);
    } else {
      await records.jobs.release(job, holder).catch((error: unknown): void => {
        logger.warn(`A job of plan requests that was added again waits until its hold ends: ${messageOf(error)}`);
      });
    }
  }

  private async postpone({ attempts, id, kind }: Job): Promise<void> {
    const { holder, logger, now, records } = this.options;
    const again = new Date(now().getTime() +
      Math.max(heldMs[kind], Math.min(pauseMs * (2 ** attempts), maxPauseMs)));
    await records.jobs.end(id, holder, again).catch((error: unknown): void => {
      logger.warn(`A job of plan requests could not be postponed until its next try: ${messageOf(error)}`);
    });
  }
}
