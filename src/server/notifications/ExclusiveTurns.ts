import { setImmediate } from 'node:timers/promises';
import { tooBusy } from '../tooBusy';

/** Runs work that blocks the process, one piece after the other, with other requests in between. */
export class ExclusiveTurns {
  private last: Promise<unknown> = Promise.resolve();
  private waiting = 0;

  /**
   * @param maxWaiting - Maximum number of waiting pieces.
   */
  public constructor(private readonly maxWaiting: number) {}

  /**
   * Checks whether there is room for more work.
   *
   * @param share - Share of all places that may be in use.
   *
   * @throws HttpError 503 when there is no room.
   */
  public check(share: number): void {
    if (this.waiting >= this.maxWaiting * share) {
      throw tooBusy('There are too many of these requests at once.');
    }
  }

  /**
   * Runs work when its turn comes.
   *
   * @throws HttpError 503 when too much work waits already.
   */
  public async take<T>(share: number, work: () => Promise<T>): Promise<T> {
    this.check(share);
    this.waiting += 1;
    const done = this.last.then(async(): Promise<T> => {
      await setImmediate();
      return work();
    }).finally((): void => {
      this.waiting -= 1;
    });
    this.last = done.catch((): undefined => undefined);
    return done;
  }
}
