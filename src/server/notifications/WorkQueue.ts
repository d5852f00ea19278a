/** Runs work, a few pieces at a time, in order of arrival. When full, it drops the oldest. */
export class WorkQueue {
  private readonly waiting: (() => Promise<void>)[] = [];
  private running = 0;

  /**
   * @param width - Number of pieces that run at a time.
   * @param maxWaiting - Maximum number of waiting pieces.
   */
  public constructor(
    private readonly width: number,
    private readonly maxWaiting: number,
  ) {}

  /**
   * Runs work when its turn comes.
   *
   * @param work - Must not reject.
   *
   * @returns True when other work was dropped.
   */
  public add(work: () => Promise<void>): boolean {
    this.waiting.push(work);
    const isFull = this.waiting.length > this.maxWaiting;
    if (isFull) {
      this.waiting.shift();
    }
    this.next();
    return isFull;
  }

  private next(): void {
    if (this.running >= this.width) {
      return;
    }
    const work = this.waiting.shift();
    if (work) {
      this.running += 1;
      work().finally((): void => {
        this.running -= 1;
        this.next();
      }).catch((): undefined => undefined);
    }
  }
}
