import { BoundedMap } from '../platform/BoundedMap';

/** How much one key may do. */
export interface RateCounterOptions {
  /** Names the policy on the wire and in shared counts. */
  name: string;
  /** In one window, for one key. */
  limit: number;
  windowSeconds: number;
  /** Keys that are remembered; beyond, the one seen first in this window is forgotten. Default 100,000. */
  maxKeys?: number;
}

/** Remainder of a limit. */
export interface Standing {
  /** 0 when the limit is reached or passed. */
  remaining: number;
  /** Seconds until the window ends. */
  resetSeconds: number;
  /** True when the limit was passed. */
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
  /** Of this process. */
  own: number;
  /** Part of `own` that was added to the shared count. */
  sent: number;
  /** Of other processes, as last heard. */
  others: number;
}

/** Keys that have used less than this part of a limit are not shared. */
const sharedFrom = 1 / 64;

/**
 * Counts by key in fixed windows of time: one look-up and one addition for each call, and bounded memory. Windows
 * begin at multiples of their length since 1970, so that all processes have the same ones.
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
   * Counts something that a key does.
   *
   * @param now - Milliseconds since 1970.
   * @param weight - As how much it counts.
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

  /** Returns the rest of a key's limit, without counting. */
  public look(key: string, now: number): Standing {
    this.enterWindow(now);
    const count = this.counts.get(key);
    return this.standing(count ? count.own + count.others : 0, now);
  }

  /** Keys that are remembered now. */
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
    // At once, so that nothing is reported twice when this is called again meanwhile.
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
