import { BoundedMap } from '../platform/BoundedMap';

/** Limit for each key. */
export interface RateCounterOptions {
  /** Name of the policy in headers and in shared counts. */
  name: string;
  /** Maximum in one window, for one key. */
  limit: number;
  windowSeconds: number;
  /** Maximum remembered keys; beyond it, the oldest of this window is forgotten. Default 100,000. */
  maxKeys?: number;
}

/** State of a limit. */
export interface Standing {
  /** Remaining units; 0 when the limit is reached or exceeded. */
  remaining: number;
  /** Seconds until the window ends. */
  resetSeconds: number;
  /** True when the limit is exceeded. */
  exceeded: boolean;
}

/** Counts that several processes share. */
export interface SharedCounts {
  /**
   * Adds to counts, and returns their totals over all processes, in the same order.
   *
   * @param window - Number of the window, the same in all processes.
   */
  add: (policy: string, window: number, windowSeconds: number, added: [ key: string, count: number ][]) =>
  Promise<number[]>;
}

interface Count {
  /** Count of this process. */
  own: number;
  /** Part of `own` already added to the shared count. */
  sent: number;
  /** Count of other processes, as last reported. */
  others: number;
}

/** Share of a limit from which a key is shared with other processes. */
const sharedFrom = 1 / 64;

/**
 * Counts by key in fixed windows of time: one look-up and one addition for each call, and bounded memory. Windows begin
 * at multiples of their length since 1970, so that they are the same in all processes.
 */
export class RateCounter {
  public readonly name: string;
  public readonly limit: number;
  public readonly windowSeconds: number;
  private readonly maxKeys: number;
  private counts: BoundedMap<string, Count>;
  private window = 0;

  public constructor({ name, limit, windowSeconds, maxKeys = 100_000 }: RateCounterOptions) {
    this.name = name;
    this.limit = limit;
    this.windowSeconds = windowSeconds;
    this.maxKeys = maxKeys;
    this.counts = new BoundedMap(maxKeys);
  }

  /**
   * Counts an action of a key.
   *
   * @param now - Milliseconds since 1970.
   * @param weight - Units to count.
   */
  public count(key: string, now: number, weight = 1): Standing {
    this.enterWindow(now);
    let count = this.counts.get(key);
    if (!count) {
      count = { own: 0, sent: 0, others: 0 };
      this.counts.set(key, count);
    }
    count.own += weight;
    return this.standing(count.own + count.others, now);
  }

  /** Returns the state of a key's limit, without counting. */
  public look(key: string, now: number): Standing {
    this.enterWindow(now);
    const count = this.counts.get(key);
    return this.standing(count ? count.own + count.others : 0, now);
  }

  /** Number of remembered keys. */
  public get size(): number {
    return this.counts.size;
  }

  /** Adds up the counts of this and other processes. */
  public async share(shared: SharedCounts, now: number): Promise<void> {
    this.enterWindow(now);
    const { window } = this;
    const entries = [ ...this.counts ].filter(([ , { own }]): boolean => own >= this.limit * sharedFrom);
    if (entries.length === 0) {
      return;
    }
    const before = entries.map(([ , { sent }]): number => sent);
    const after = entries.map(([ , { own }]): number => own);
    // Updated immediately, so that a concurrent call reports nothing twice.
    setSent(entries, after);
    try {
      const added = entries.map(([ key ], index): [ string, number ] => [ key, after[index] - before[index] ]);
      const totals = await shared.add(this.name, window, this.windowSeconds, added);
      for (const [ index, [ , count ]] of entries.entries()) {
        count.others = Math.max(0, totals[index] - after[index]);
      }
    } catch (error: unknown) {
      setSent(entries, before);
      throw error;
    }
  }

  private enterWindow(now: number): void {
    const window = Math.floor(now / (this.windowSeconds * 1000));
    if (window !== this.window) {
      this.window = window;
      this.counts = new BoundedMap(this.maxKeys);
    }
  }

  private standing(used: number, now: number): Standing {
    const end = (this.window + 1) * this.windowSeconds * 1000;
    return {
      remaining: Math.max(0, this.limit - used),
      resetSeconds: Math.max(1, Math.ceil((end - now) / 1000)),
      exceeded: used > this.limit,
    };
  }
}

function setSent(entries: [ string, Count ][], sent: number[]): void {
  for (const [ index, [ , count ]] of entries.entries()) {
    count.sent = sent[index];
  }
}
