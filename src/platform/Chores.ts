import type { Logger } from './logger';
import { messageOf } from './errors';

/** Work that a process does again and again while it serves. What fails is logged, and done again the next time. */
export class Chores {
  private readonly timers: NodeJS.Timeout[] = [];

  public constructor(private readonly logger: Logger) {}

  /**
   * Begins to do something every so often, from the first interval on.
   *
   * @param everyMs - Between two beginnings, however long the work takes.
   * @param what - What is looked for, for the log.
   * @param work - Does it.
   */
  public every(everyMs: number, what: string, work: () => Promise<unknown>): void {
    this.timers.push(setInterval((): void => {
      work().catch((error: unknown): void => {
        this.logger.error(`Could not look for ${what}: ${messageOf(error)}`);
      });
    }, everyMs).unref());
  }

  /** The same for work that is left out while it is still at it. */
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

  /** Begins nothing any more. */
  public stop(): void {
    for (const timer of this.timers.splice(0)) {
      clearInterval(timer);
    }
  }
}
