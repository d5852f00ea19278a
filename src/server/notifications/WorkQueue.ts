/** Work that waits for its turn. */
interface Waiting {
  about: string;
  run: () => Promise<void>;
}

/** Time in ms after which work gives its place to other work. */
const patienceMs = 100;
/** Maximum pieces of work about one subject that go on without a place. */
const maxSlowEach = 4;
/** Maximum pieces that go on without a place. */
const maxSlow = 1000;

/**
 * Runs work, a few pieces at a time, in order of arrival. When full, it drops the oldest.
 *
 * Work that takes long, mostly because it waits for another server, gives its place to other work and goes on. Further
 * work about the same subject then waits: whoever makes notifications of their resources slow delays no others.
 */
export class WorkQueue {
  private readonly waiting: Waiting[] = [];
  /** Number of pieces without a place, by subject. */
  private readonly slow = new Map<string, number>();
  private running = 0;
  private slowCount = 0;

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
   * @param about - Subject of the work.
   * @param run - Must not reject.
   *
   * @returns True when other work was dropped.
   */
  public add(about: string, run: () => Promise<void>): boolean {
    this.waiting.push({ about, run });
    const isFull = this.waiting.length > this.maxWaiting;
    if (isFull) {
      this.waiting.shift();
    }
    this.next();
    return isFull;
  }

  private next(): void {
    const index = this.running < this.width ? this.waiting.findIndex(({ about }): boolean => this.mayRun(about)) : -1;
    const [ work ] = index === -1 ? [] : this.waiting.splice(index, 1);
    if (work) {
      this.start(work);
    }
  }

  private mayRun(about: string): boolean {
    return (this.slow.get(about) ?? 0) < maxSlowEach;
  }

  private start({ about, run }: Waiting): void {
    this.running += 1;
    let isSlow = false;
    const timer = setTimeout((): void => {
      isSlow = this.slowCount < maxSlow;
      if (isSlow) {
        this.running -= 1;
        this.countSlow(about, 1);
        this.next();
      }
    }, patienceMs).unref();
    run().finally((): void => {
      clearTimeout(timer);
      if (isSlow) {
        this.countSlow(about, -1);
      } else {
        this.running -= 1;
      }
      this.next();
    }).catch((): undefined => undefined);
  }

  private countSlow(about: string, added: number): void {
    this.slowCount += added;
    const count = (this.slow.get(about) ?? 0) + added;
    if (count > 0) {
      this.slow.set(about, count);
    } else {
      this.slow.delete(about);
    }
  }
}
