import { tooBusy } from '../tooBusy';

/** Readers share a lock; a writer has it alone. */
export type LockKind = 'read' | 'write';

/** Options of {@link LockQueue}. */
export interface LockQueueOptions {
  /**
   * Maximum waiting readers and writers while a writer is waiting or active; readers behind readers are not bounded.
   */
  maxWaiting: number;
  /** Maximum concurrent readers: with more, all would be slow together, and their locks would expire. */
  maxReaders: number;
  /** Maximum wait. */
  patienceMs: number;
  /** Maximum wait of a reader while others read without finishing. */
  readerPatienceMs: number;
  /** Maximum wait of a writer for readers to finish. */
  writerPatienceMs: number;
  /** Time of uninterrupted use after which other processes get their turn; infinite when absent. */
  turnMs?: number;
  /** Duration of the turn of other processes. */
  breakMs?: number;
}

interface Waiter {
  enter: () => void;
  refuse: (error: Error) => void;
}

/**
 * The queue in front of the lock of one resource. All waiting readers and one writer take turns, so that neither
 * starves the other.
 *
 * Slow readers, such as clients that read a response byte by byte, lose the lock when a writer has waited for them for
 * some time. Readers whose turn has just begun keep it, however long a writer has waited for its own.
 *
 * A reader that has waited too long joins the current readers when none of them finishes, so that neither slow readers
 * nor a request that reads twice block everybody.
 */
export class LockQueue {
  private readonly readers = new Set<Waiter>();
  private readonly writers = new Set<Waiter>();
  private phase?: LockKind | 'break';
  private holders = 0;
  /** Start of the current phase. */
  private phaseBegan = 0;
  /** Start of the current turn of this process. */
  private turnBegan = 0;
  /** Time when a holder last finished. */
  private lastLeft = 0;

  /**
   * @param options - Bounds of the queue.
   * @param onIdle - Called whenever the queue becomes empty and the lock unused.
   * @param endReading - Called when a writer has waited too long for readers: makes them leave.
   */
  public constructor(
    private readonly options: LockQueueOptions,
    private readonly onIdle?: () => void,
    private readonly endReading?: () => void,
  ) {}

  /**
   * Resolves when the caller gets its turn: then, and only then, {@link leave} must be called.
   *
   * @throws HttpError 503 when too many wait already, or the wait is too long.
   */
  public async enter(kind: LockKind): Promise<void> {
    if (this.isOpenTo(kind)) {
      this.begin(kind);
      return;
    }
    const isAmongReaders = kind === 'read' && this.phase === 'read' && this.writers.size === 0;
    if (!isAmongReaders && this.readers.size + this.writers.size >= this.options.maxWaiting) {
      throw tooBusy('Too many requests wait for the same resource.');
    }
    await this.wait(kind);
  }

  /** Ends the caller's turn. */
  public leave(): void {
    this.holders -= 1;
    this.lastLeft = performance.now();
    if (this.holders > 0) {
      if (this.writers.size === 0 && !this.isTurnOver()) {
        this.admitReaders();
      }
      return;
    }
    const { breakMs = 0 } = this.options;
    if (this.isTurnOver() && this.isAwaited()) {
      this.phase = 'break';
      setTimeout((): void => {
        this.turnBegan = performance.now();
        this.next('read');
      }, breakMs);
    } else {
      this.next(this.phase === 'read' ? 'read' : 'write');
    }
  }

  private isOpenTo(kind: LockKind): boolean {
    if (this.phase === undefined) {
      this.turnBegan = performance.now();
      return true;
    }
    return kind === 'read' && this.phase === 'read' && !this.isAwaited() && !this.isTurnOver() &&
      this.holders < this.options.maxReaders;
  }

  private isAwaited(): boolean {
    return this.readers.size + this.writers.size > 0;
  }

  private isTurnOver(): boolean {
    const { turnMs = Infinity } = this.options;
    return performance.now() - this.turnBegan > turnMs;
  }

  private begin(kind: LockKind): void {
    if (this.holders === 0) {
      this.phaseBegan = performance.now();
    }
    this.phase = kind;
    this.holders += 1;
  }

  /** Starts the next phase: after one kind, the other if any waits. */
  private next(last: LockKind): void {
    const [ writer ] = this.writers;
    if (writer && (last === 'read' || this.readers.size === 0)) {
      writer.enter();
    } else if (this.readers.size > 0) {
      this.admitReaders();
    } else {
      this.phase = undefined;
      this.onIdle?.();
    }
  }

  /** Admits readers in order of arrival, up to a number of holders. */
  private admitReaders(holders = this.options.maxReaders): void {
    for (const reader of this.readers) {
      if (this.holders >= holders) {
        break;
      }
      reader.enter();
    }
  }

  private async wait(kind: LockKind): Promise<void> {
    const { patienceMs, readerPatienceMs } = this.options;
    const since = performance.now();
    const waiting = kind === 'read' ? this.readers : this.writers;
    await new Promise<void>((resolve, reject): void => {
      const waiter: Waiter = {
        enter: (): void => {
          stop();
          this.begin(kind);
          resolve();
        },
        refuse: (error): void => {
          stop();
          reject(error);
        },
      };
      const timers = [
        setTimeout((): void => waiter.refuse(tooBusy('Waited too long for a resource.')), patienceMs),
        setInterval((): void => kind === 'read' ? this.joinReaders() : this.endReaders(since), readerPatienceMs),
      ];
      function stop(): void {
        waiting.delete(waiter);
        for (const timer of timers) {
          clearInterval(timer);
        }
      }
      waiting.add(waiter);
    });
  }

  /** Ends the current readers when a writer that waits since then has waited too long for them. */
  private endReaders(since: number): void {
    const waited = performance.now() - Math.max(since, this.phaseBegan);
    if (this.phase === 'read' && waited >= this.options.writerPatienceMs) {
      this.endReading?.();
    }
  }

  /** Admits more readers when the current ones have not finished for a while. */
  private joinReaders(): void {
    const { maxReaders, readerPatienceMs } = this.options;
    const now = performance.now();
    if (this.phase === 'read' && now - this.lastLeft >= readerPatienceMs) {
      // Not all of them: perhaps this process itself makes no progress.
      this.lastLeft = now;
      this.admitReaders(this.holders + maxReaders);
    }
  }
}
