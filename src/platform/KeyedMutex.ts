/** Lets work with the same key run one after the other. */
export interface Mutex {
  /** Runs work when all earlier work with this key is over, however that ended. Not to be called again within it. */
  run: <T>(key: string, work: () => Promise<T>) => Promise<T>;
}

/** Lets work with the same key run one after the other, within this process. */
export class KeyedMutex implements Mutex {
  private readonly tails = new Map<string, Promise<unknown>>();

  /** Runs work when all earlier work with this key is over, however that ended. */
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
