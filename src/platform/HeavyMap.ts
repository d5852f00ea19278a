/** Limits of a {@link HeavyMap}. */
export interface HeavyMapLimits {
  /** Maximum sum of the weights of all entries. */
  weight: number;
  /** Time for which an entry is kept; by default, until others need its place. */
  ageMilliseconds?: number;
}

interface Weighed<TValue> {
  value: TValue;
  weight: number;
  at: number;
}

/** A map of bounded weight: the least recently used entries make room for new ones. */
export class HeavyMap<TValue> {
  private readonly entries = new Map<string, Weighed<TValue>>();
  private weight = 0;

  public constructor(private readonly limits: HeavyMapLimits, private readonly now: () => Date) {}

  public get(key: string): TValue | undefined {
    const { ageMilliseconds = Number.POSITIVE_INFINITY } = this.limits;
    const entry = this.entries.get(key);
    this.forget(key);
    if (!entry || this.now().getTime() - entry.at > ageMilliseconds) {
      return undefined;
    }
    this.add(key, entry);
    return entry.value;
  }

  /** Sets an entry, unless it alone exceeds the maximum weight. */
  public set(key: string, value: TValue, weight: number): void {
    this.forget(key);
    if (weight > this.limits.weight) {
      return;
    }
    this.add(key, { value, weight, at: this.now().getTime() });
    while (this.weight > this.limits.weight) {
      const [ oldest ] = this.entries.keys();
      this.forget(oldest);
    }
  }

  private add(key: string, entry: Weighed<TValue>): void {
    this.entries.set(key, entry);
    this.weight += entry.weight;
  }

  private forget(key: string): void {
    this.weight -= this.entries.get(key)?.weight ?? 0;
    this.entries.delete(key);
  }
}
