/** Work that is done a few at a time, in the order it came. Of too much, the oldest is dropped. */
export class WorkQueue {
  private readonly waiting: (() => Promise<void>)[] = [];
  private running = 0;

  /**
   * @param width - How much is done at a time.
   * @param maxWaiting - How much waits at most.
   */
  public constructor(
    private readonly width: number,
    private readonly maxWaiting: number,
  ) {}

  /**
   * Does some work when it is its turn.
   *
   * @param work - Must not reject.
   *
   * @returns True when other work was dropped for it.
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
