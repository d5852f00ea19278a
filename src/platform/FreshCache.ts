import type { Clock } from './clock';
import { HeavyMap } from './HeavyMap';

interface Loaded<T> {
  value: T;
  loadedAt: number;
  /** Time when the last reload started. */
  triedAt: number;
}

/** Options of {@link FreshCache}. */
export interface FreshCacheOptions<T> {
  /** Time for which a loaded value is used. */
  lifeMs: number;
  /** Maximum entries of usual size; the least recently used are removed first. */
  maxEntries: number;
  /** Returns how many entries of usual size a value is as large as; each is one by default. */
  weigh?: (value: T) => number;
  now: Clock;
}

/** Short-lived cache of values that are expensive to load. Concurrent callers for the same value share one load. */
export class FreshCache<T> {
  private readonly entries: HeavyMap<Loaded<T>>;
  private readonly loading = new Map<string, Promise<T>>();

  public constructor(private readonly options: FreshCacheOptions<T>) {
    // Without an age: old values are loaded again, but tell when that was last tried.
    this.entries = new HeavyMap({ weight: options.maxEntries }, options.now);
  }

  /** Returns the value of a key, loading it when it is missing or too old. Failures are not cached. */
  public async get(key: string, load: () => Promise<T>): Promise<T> {
    const entry = this.entries.get(key);
    if (!entry || !isYounger(this.now() - entry.loadedAt, this.options.lifeMs)) {
      return this.load(key, load);
    }
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
      const weight = Math.max(1, Math.ceil(this.options.weigh?.(value) ?? 1));
      this.entries.set(key, { value, loadedAt: started, triedAt: started }, weight);
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
