/**
 * Lets long pieces of work take turns, with each other and with everything else in the process: one turn of one piece
 * in each round of the event loop, however many pieces there are.
 */
export class Turns {
  private readonly waiting: (() => void)[] = [];

  /**
   * @param isFree - Called in each round: returns false when the round is needed for something else.
   */
  public constructor(private readonly isFree: () => boolean = (): boolean => true) {}

  /** Waits for the next turn. The work until the next call should take a few milliseconds at most. */
  public async next(): Promise<void> {
    return new Promise((resolve): void => {
      this.waiting.push(resolve);
      if (this.waiting.length === 1) {
        this.schedule();
      }
    });
  }

  private schedule(): void {
    setImmediate((): void => {
      if (this.isFree()) {
        this.waiting.shift()?.();
      }
      if (this.waiting.length > 0) {
        this.schedule();
      }
    });
  }
}
