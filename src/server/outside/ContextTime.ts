import { inTime } from '../../platform/inTime';

/** Bounds the time for which one document waits for all its contexts, which may be fetched one after the other. */
export class ContextTime {
  private spentMs = 0;
  private waiting = 0;
  private since = 0;

  /**
   * @param maxMs - Maximum time. Contexts that are fetched at once count once.
   * @param now - Returns the time in milliseconds.
   */
  public constructor(
    private readonly maxMs: number,
    private readonly now: () => number = (): number => performance.now(),
  ) {}

  /**
   * Waits for a context.
   *
   * @throws Error when the time is over; otherwise the error of the load.
   */
  public async wait<T>(load: () => Promise<T>): Promise<T> {
    const leftMs = this.maxMs - this.spent();
    if (leftMs <= 0) {
      throw new Error('The contexts of the document take too long.');
    }
    if (this.waiting === 0) {
      this.since = this.now();
    }
    this.waiting += 1;
    try {
      return await inTime(leftMs, load);
    } finally {
      const spent = this.spent();
      this.waiting -= 1;
      this.spentMs = this.waiting === 0 ? spent : this.spentMs;
    }
  }

  private spent(): number {
    return this.spentMs + (this.waiting > 0 ? this.now() - this.since : 0);
  }
}
