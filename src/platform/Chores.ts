import type { Logger } from './logger';
import { messageOf } from './errors';

/** Periodic work of a serving process. A failure is logged, and the work is repeated at the next interval. */
export class Chores {
  private readonly timers: NodeJS.Timeout[] = [];

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
      work().catch((error: unknown): void => {
        this.logger.error(`Could not look for ${what}: ${messageOf(error)}`);
      });
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

  /** Stops all further runs. */
  public stop(): void {
    for (const timer of this.timers.splice(0)) {
      clearInterval(timer);
    }
  }
}
