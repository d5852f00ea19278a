import { AsyncLocalStorage } from 'node:async_hooks';
import { versionsSeen } from '../versions/versionsSeen';
import type { ReadRow } from '../../platform/ResourceRows';

/** Rows of resources that are read together, when the first of them is needed. */
class RowsAhead {
  private rows?: Promise<Map<string, ReadRow>>;
  private readonly paths: ReadonlySet<string>;
  private isOver = false;

  public constructor(paths: readonly string[]) {
    this.paths = new Set(paths);
  }

  public async find(path: string, read: ReadRows): Promise<ReadRow | null | undefined> {
    if (this.isOver || !this.paths.has(path)) {
      return undefined;
    }
    this.rows ??= read([ ...this.paths ]);
    return (await this.rows).get(path) ?? null;
  }

  public end(): void {
    this.isOver = true;
  }
}

/** Reads rows by path. */
export type ReadRows = (paths: string[]) => Promise<Map<string, ReadRow>>;

const storage = new AsyncLocalStorage<RowsAhead>();

/**
 * Runs work on rows as of one moment: when it first needs one of them, all are read. The moment ends with the work, or
 * with its first change; anything that the work starts and that outlives it reads again.
 *
 * @param paths - Paths of the resources that the work may need.
 * @param work - Work to do.
 */
export async function readingAhead<T>(paths: readonly string[], work: () => Promise<T>): Promise<T> {
  const ahead = new RowsAhead(paths);
  try {
    return await storage.run(ahead, work);
  } finally {
    ahead.end();
  }
}

/**
 * Finds the row of a resource as of the moment of the current work.
 *
 * @returns `null` when it did not exist then; `undefined` when the row must be read again: the work is a change, which
 * reads under its lock, or did not list this path.
 */
export async function findAhead(path: string, read: ReadRows): Promise<ReadRow | null | undefined> {
  return versionsSeen() ? undefined : storage.getStore()?.find(path, read);
}

/** Makes the current work read again from here on, because it changes something. */
export function endAhead(): void {
  storage.getStore()?.end();
}
