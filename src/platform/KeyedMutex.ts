/** Serialises work with the same key. */
export interface Mutex {
  /** Runs work after all earlier work with this key has ended, successfully or not. Not reentrant. */
  run: <T>(key: string, work: () => Promise<T>) => Promise<T>;
}

/** Serialises work with the same key, within this process. */
export class KeyedMutex implements Mutex {
  private readonly tails = new Map<string, Promise<unknown>>();

  /** Runs work after all earlier work with this key has ended, successfully or not. Not reentrant. */
  public async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.tails.get(key) ?? Promise.resolve();
    const result = before.then(work, work);
    const tail = result.catch((): unknown => undefined);
    this.tails.set(key, tail);
    try {
      return await result;
    } finally {
      if (this.tails.get(key) === tail) {
        this.tails.delete(key);
      }
    }
  }
}
