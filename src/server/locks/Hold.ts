import { tooBusy } from '../tooBusy';

/** Holds the underlying lock until the work ends. */
export type Holder = (work: () => Promise<void>) => Promise<void>;

/**
 * An underlying lock, taken once for all its simultaneous users. It is released when the last user leaves, even if it
 * is granted only after that.
 */
export class Hold {
  private readonly held: Promise<void>;
  private readonly opened: Promise<void>;
  /** Resolves when the underlying lock is free again, whatever went wrong. */
  private readonly closed: Promise<void>;
  private readonly begunAt = performance.now();
  private users = 0;
  private isEnding = false;
  private end!: () => void;
  private readonly lost: Promise<never>;
  private lose!: (error: Error) => void;

  /**
   * @param holder - Takes the underlying lock.
   * @param patienceMs - Maximum wait for the lock.
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

  /** True when no work runs under it any more. */
  public get isUnused(): boolean {
    return this.users === 0;
  }

  /** Checks whether others may share it. False from a certain age on, so that each hold ends. */
  public isShareable(maxAgeMs: number): boolean {
    return !this.isEnding && performance.now() - this.begunAt < maxAgeMs;
  }

  /** Releases the underlying lock. Work in progress continues without it, and its result is an error. */
  public release(): void {
    this.isEnding = true;
    this.lose(tooBusy('Others waited too long for the resource.'));
    this.end();
  }

  /**
   * Runs work under the lock.
   *
   * @throws Error of the underlying lock when it could not be taken, or was lost meanwhile; HttpError 503 when it was
   * released with {@link release}.
   */
  public async run<T>(work: () => T | Promise<T>): Promise<T> {
    this.users += 1;
    try {
      await Promise.race([ this.lost, this.opened, this.held ]);
      // The underlying lock ends before the work only when it fails.
      return await Promise.race([ this.lost, (async(): Promise<T> => work())(), this.held as Promise<never> ]);
    } finally {
      this.users -= 1;
      if (this.users === 0) {
        this.isEnding = true;
        this.end();
      }
    }
  }

  /** Resolves when the underlying lock is free again, or others still use it. Call after the work. */
  public async left(): Promise<void> {
    if (this.isEnding) {
      await this.closed;
    }
  }
}
