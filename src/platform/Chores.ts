import type { Logger } from './logger';
import { messageOf } from './errors';
import { inTime } from './inTime';

/** Maximum time for work to end when a process stops. */
const maxStopMs = 10_000;

/** Periodic work of a serving process. A failure is logged, and the work is repeated at the next interval. */
export class Chores {
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly running = new Set<Promise<void>>();

  public constructor(private readonly logger: Logger) {}

  /**
   * Runs work periodically, starting after the first interval.
   *
   * @param everyMs - Time between two starts, however long the work takes.
   * @param what - Description of the work, for the log.
   * @param work - The work.
   */
  public every(everyMs: number, what: string, work: () => Promise<unknown>): void {
    this.timers.push(setInterval((): void => {
      const run = work().then((): void => undefined, (error: unknown): void => {
        this.logger.error(`Could not look for ${what}: ${messageOf(error)}`);
      }).finally((): unknown => this.running.delete(run));
      this.running.add(run);
    }, everyMs).unref());
  }

  /** Runs work periodically, skipping a run while the previous one is in progress. */
  public everyUnlessBusy(everyMs: number, what: string, work: () => Promise<unknown>): void {
    let isBusy = false;
    this.every(everyMs, what, async(): Promise<void> => {
      if (!isBusy) {
        isBusy = true;
        await work().finally((): void => {
          isBusy = false;
        });
      }
    });
  }

  /** Stops all further runs, and waits until the current ones have ended: the records are closed afterwards. */
  public async stop(): Promise<void> {
    for (const timer of this.timers.splice(0)) {
      clearInterval(timer);
    }
    await inTime(maxStopMs, async(): Promise<unknown> => Promise.all(this.running)).catch((): void => {
      this.logger.warn(`Stopped within work of more than ${maxStopMs / 1000} s: the next start does the rest.`);
    });
  }
}
