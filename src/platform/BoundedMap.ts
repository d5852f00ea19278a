/** A map of bounded size: the oldest entries make room for new ones. */
export class BoundedMap<TKey, TValue> {
  private readonly entries = new Map<TKey, TValue>();

  public constructor(private readonly maxEntries: number) {}

  public get size(): number {
    return this.entries.size;
  }

  public get(key: TKey): TValue | undefined {
    return this.entries.get(key);
  }

  /** Sets an entry and makes it the newest, even if it existed. */
  public set(key: TKey, value: TValue): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size > this.maxEntries) {
      const [ oldest ] = this.entries.keys();
      this.entries.delete(oldest);
    }
  }

  public delete(key: TKey): void {
    this.entries.delete(key);
  }

  /** Iterates over the entries, oldest first. */
  public [Symbol.iterator](): IterableIterator<[TKey, TValue]> {
    return this.entries.entries();
  }
}
