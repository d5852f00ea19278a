import { BoundedMap } from './BoundedMap';
import type { Clock } from './clock';

interface Loaded<T> {
  value: T;
  loadedAt: number;
  /** When loading it anew was last begun. */
  triedAt: number;
}

/** Options of {@link FreshCache}. */
export interface FreshCacheOptions {
  /** How long a loaded value is used. */
  lifeMs: number;
  /** The values used longest ago go first. */
  maxEntries: number;
  now: Clock;
}

/** Values that are expensive to load, for a short time. Several callers that need the same one wait for one load. */
export class FreshCache<T> {
  private readonly entries: BoundedMap<string, Loaded<T>>;
  private readonly loading = new Map<string, Promise<T>>();

  public constructor(private readonly options: FreshCacheOptions) {
    this.entries = new BoundedMap(options.maxEntries);
  }

  /** The value under a key, loaded when there is none or it is too old. Failures are not remembered. */
  public async get(key: string, load: () => Promise<T>): Promise<T> {
    const entry = this.entries.get(key);
    if (!entry || !isYounger(this.now() - entry.loadedAt, this.options.lifeMs)) {
      return this.load(key, load);
    }
    // As one that was used just now.
    this.entries.set(key, entry);
    return entry.value;
  }

  /** The value under a key loaded anew, unless that was tried less than `minAgeMs` ago. */
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

/** Compares ages. A negative one is of before the clock was put back, nobody knows when. */
function isYounger(ageMs: number, ms: number): boolean {
  return ageMs >= 0 && ageMs < ms;
}
