import { setImmediate } from 'node:timers/promises';
import { tooBusy } from '../tooBusy';

/** Work that takes the process for itself, done one after the other, with room for other requests between. */
export class ExclusiveTurns {
  private last: Promise<unknown> = Promise.resolve();
  private waiting = 0;

  /**
   * @param maxWaiting - How much may wait.
   */
  public constructor(private readonly maxWaiting: number) {}

  /**
   * Looks whether there is room for more.
   *
   * @param share - Of all places, how many may be taken.
   *
   * @throws HttpError 503 when there is none.
   */
  public check(share: number): void {
    if (this.waiting >= this.maxWaiting * share) {
      throw tooBusy('There are too many of these requests at once.');
    }
  }

  /**
   * Does some work when it is its turn.
   *
   * @throws HttpError 503 when too much waits already.
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
