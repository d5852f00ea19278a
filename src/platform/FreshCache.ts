import { BoundedMap } from './BoundedMap';
import type { Clock } from './clock';

interface Loaded<T> {
  value: T;
  loadedAt: number;
  /** Time when the last reload started. */
  triedAt: number;
}

/** Options of {@link FreshCache}. */
export interface FreshCacheOptions {
  /** Time for which a loaded value is used. */
  lifeMs: number;
  /** Maximum entries; the least recently used are removed first. */
  maxEntries: number;
  now: Clock;
}

/** Short-lived cache of values that are expensive to load. Concurrent callers for the same value share one load. */
export class FreshCache<T> {
  private readonly entries: BoundedMap<string, Loaded<T>>;
  private readonly loading = new Map<string, Promise<T>>();

  public constructor(private readonly options: FreshCacheOptions) {
    this.entries = new BoundedMap(options.maxEntries);
  }

  /** Returns the value of a key, loading it when it is missing or too old. Failures are not cached. */
  public async get(key: string, load: () => Promise<T>): Promise<T> {
    const entry = this.entries.get(key);
    if (!entry || !isYounger(this.now() - entry.loadedAt, this.options.lifeMs)) {
      return this.load(key, load);
    }
    // Moves the entry to the end, as the most recently used.
    this.entries.set(key, entry);
    return entry.value;
  }

  /** Reloads the value of a key, unless that was tried less than `minAgeMs` ago. */
  public async renew(key: string, minAgeMs: number, load: () => Promise<T>): Promise<T> {
    const entry = this.entries.get(key);
    if (entry && isYounger(this.now() - entry.triedAt, minAgeMs)) {
      return entry.value;
    }
    if (entry) {
      entry.triedAt = this.now();
    }
    return this.load(key, load);
  }

  private async load(key: string, load: () => Promise<T>): Promise<T> {
    const running = this.loading.get(key);
    if (running) {
      return running;
    }
    const started = this.now();
    const work = load();
    this.loading.set(key, work);
    try {
      const value = await work;
      this.entries.set(key, { value, loadedAt: started, triedAt: started });
      return value;
    } finally {
      this.loading.delete(key);
    }
  }

  private now(): number {
    return this.options.now().getTime();
  }
}

/** Compares ages. A negative age means that the clock was set back: treat as stale. */
function isYounger(ageMs: number, ms: number): boolean {
  return ageMs >= 0 && ageMs < ms;
}
