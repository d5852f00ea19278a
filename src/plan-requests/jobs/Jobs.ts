import type { Clock } from '../../platform/clock';
import { messageOf } from '../../platform/errors';
import type { Logger } from '../../platform/logger';
import type { Job, JobKind, PlanRecords, PlanStores } from '../PlanStores';
import { jobKinds } from '../PlanStores';

/** Writes the outcome of work; with a moment when it is to be done again. */
export type JobOutcome = (stores: PlanStores) => Promise<Date | undefined>;

/**
 * Does work. May be begun again after a process has ended, so what it does outside of its outcome can be repeated.
 *
 * @param job - The work.
 * @param signal - Ends it: another process has it, or this one stops.
 *
 * @returns What is written in one transaction with the end of the work: once, by the process that still has it.
 */
export type JobWork = (job: Job, signal: AbortSignal) => Promise<JobOutcome>;

/** Dependencies of {@link Jobs}. */
export interface JobsOptions {
  records: PlanRecords;
  /** Of this process, among all that share the records. */
  holder: string;
  /** Work of other kinds is left to other processes. */
  work: Partial<Record<JobKind, JobWork>>;
  /** Follows the end of work; not when a process ends in between. */
  ended?: Partial<Record<JobKind, (job: Job) => Promise<void>>>;
  logger: Logger;
  now: Clock;
}

/** Another process takes over after so long: an attempt to announce ends before the next one may begin. */
const heldMs: Record<JobKind, number> = { announce: 120_000, mail: 60_000, remind: 15_000, validate: 15_000 };
/** Of each kind: a registry that is slow holds up no validation. */
const atOnce = 2;
const pauseMs = 10_000;
const longestPauseMs = 600_000;

/** Does the work in the records: each once over all processes, and on after one that ended in the middle. */
export class Jobs {
  private readonly options: JobsOptions;
  private readonly running = new Map<string, { kind: JobKind; controller: AbortController }>();
  private isStopped = false;
  private isBeginning = false;
  private isAskedAgain = false;

  public constructor(options: JobsOptions) {
    this.options = options;
  }

  /** True while anything is being done or begun. */
  public get isBusy(): boolean {
    return this.isBeginning || this.running.size > 0;
  }

  /** Begins what is due, and more as work ends. To be called every second: it does not wait for the work. */
  public async run(): Promise<void> {
    this.isAskedAgain = true;
    if (this.isBeginning) {
      return;
    }
    this.isBeginning = true;
    try {
      while (this.isAskedAgain) {
        this.isAskedAgain = false;
        await this.begin();
      }
    } finally {
      this.isBeginning = false;
    }
  }

  /** Ends what is running; another process does it again. */
  public stop(): void {
    this.isStopped = true;
    for (const { controller } of this.running.values()) {
      controller.abort();
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
      const controller = new AbortController();
      this.running.set(job.id, { kind: job.kind, controller });
      this.perform(job, controller)
        .finally(async(): Promise<void> => {
          this.running.delete(job.id);
          await this.run();
        })
        .catch((error: unknown): void => logger.error(`Work of plan requests failed: ${messageOf(error)}`));
    }
  }

  /** Kinds of which more can be done now. */
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
      }).catch((error: unknown): void => logger.warn(`Work of plan requests may be lost: ${messageOf(error)}`));
    }, heldMs[job.kind] / 3).unref();
    let hasEnded = false;
    try {
      // Only kinds with work are taken.
      const write = await work[job.kind]!(job, controller.signal);
      const again = await records.transaction(async(stores): Promise<boolean> => {
        // First, which holds off whoever would take it meanwhile.
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
        logger.error(`Work of plan requests failed (${job.kind}): ${messageOf(error)}`);
        await this.postpone(job);
      }
    } finally {
      clearInterval(timer);
    }
    if (hasEnded) {
      await ended?.[job.kind]?.(job);
    }
  }

  private async postpone({ attempts, id, kind }: Job): Promise<void> {
    const { holder, logger, now, records } = this.options;
    const again = new Date(now().getTime() +
      Math.max(heldMs[kind], Math.min(pauseMs * (2 ** attempts), longestPauseMs)));
    await records.jobs.end(id, holder, again).catch((error: unknown): void => {
      logger.warn(`Work of plan requests waits until it is free: ${messageOf(error)}`);
    });
  }
}
