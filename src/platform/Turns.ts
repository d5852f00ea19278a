/**
 * Lets long pieces of work take turns, with each other and with all else that the process does: one turn of one piece
 * for each round of the event loop, however many pieces there are.
 */
export class Turns {
  private readonly waiting: (() => void)[] = [];

  /**
   * @param isFree - Asked in each round: nobody gets a turn in a round that is needed for something else.
   */
  public constructor(private readonly isFree: () => boolean = (): boolean => true) {}

  /** Waits for the next turn. What is done until the next call should take some milliseconds, not more. */
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
        this.waiting.shift()!();
      }
      if (this.waiting.length > 0) {
        this.schedule();
      }
    });
  }
}
