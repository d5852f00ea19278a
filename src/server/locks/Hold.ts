import { tooBusy } from '../tooBusy';

/** Holds the lock beneath until the work ends. */
export type Holder = (work: () => Promise<void>) => Promise<void>;

/**
 * A lock beneath, taken once for all its simultaneous users. None of them can keep it: it is released when the last one
 * has left, even if it was granted only after that.
 */
export class Hold {
  private readonly held: Promise<void>;
  private readonly opened: Promise<void>;
  /** Resolves when the lock beneath is free again, whatever went wrong. */
  private readonly closed: Promise<void>;
  private readonly begunAt = performance.now();
  private users = 0;
  private isEnding = false;
  private end!: () => void;
  private readonly lost: Promise<never>;
  private lose!: (error: Error) => void;

  /**
   * @param holder - Takes the lock beneath.
   * @param patienceMs - How long that may take.
   */
  public constructor(holder: Holder, patienceMs: number) {
    const ended = new Promise<void>((resolve): void => {
      this.end = resolve;
    });
    this.lost = new Promise<never>((...[ , reject ]): void => {
      this.lose = reject;
    });
    let open!: () => void;
    this.opened = new Promise<void>((resolve, reject): void => {
      const timer = setTimeout((): void => reject(tooBusy('Waited too long for a lock.')), patienceMs);
      open = (): void => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.held = holder(async(): Promise<void> => {
      open();
      await ended;
    });
    this.closed = this.held.then(open, open);
    for (const promise of [ this.opened, this.lost ]) {
      promise.catch((): undefined => undefined);
    }
  }

  /** True when nobody works under it any more. */
  public get isUnused(): boolean {
    return this.users === 0;
  }

  /** Checks whether others may share it: not forever, so that each hold ends. */
  public isShareable(maxAgeMs: number): boolean {
    return !this.isEnding && performance.now() - this.begunAt < maxAgeMs;
  }

  /** Releases the lock beneath. Work still in progress goes on without it, and fails. */
  public letGo(): void {
    this.isEnding = true;
    this.lose(tooBusy('Others waited too long for the resource.'));
    this.end();
  }

  /**
   * Works under the lock.
   *
   * @throws Error of the lock beneath when it could not be taken, or was lost meanwhile; HttpError 503 when it was let
   * go of.
   */
  public async run<T>(work: () => T | Promise<T>): Promise<T> {
    this.users += 1;
    try {
      await Promise.race([ this.lost, this.opened, this.held ]);
      // The lock beneath ends before the work does only by failing.
      return await Promise.race([ this.lost, (async(): Promise<T> => work())(), this.held as Promise<never> ]);
    } finally {
      this.users -= 1;
      if (this.users === 0) {
        this.isEnding = true;
        this.end();
      }
    }
  }

  /** Resolves, for those who have worked, when the lock beneath is free again or others still use it. */
  public async left(): Promise<void> {
    if (this.isEnding) {
      await this.closed;
    }
  }
}
