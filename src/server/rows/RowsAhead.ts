import { AsyncLocalStorage } from 'node:async_hooks';
import { versionsSeen } from '../versions/versionsSeen';
import type { ReadRow } from '../../platform/ResourceRows';

/** Rows of resources that are read together, when the first of them is asked for. */
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

/** Reads rows by their paths. */
export type ReadRows = (paths: string[]) => Promise<Map<string, ReadRow>>;

const storage = new AsyncLocalStorage<RowsAhead>();

/**
 * Does work that looks at rows as they were at one moment of it: the first time that it asks for one of them, all are
 * read. The moment ends with the work, or with its first change: what is begun by it and goes on longer reads anew.
 *
 * @param paths - Of the resources that the work may ask for.
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
 * The row of a resource as of the moment of the current work.
 *
 * @returns `null` when there was none then; `undefined` when the row has to be read anew: the work is a change, which
 * reads under its lock, or did not say that it would ask for this one.
 */
export async function findAhead(path: string, read: ReadRows): Promise<ReadRow | null | undefined> {
  return versionsSeen() ? undefined : storage.getStore()?.find(path, read);
}

/** From here on, the current work reads anew: something is changed. */
export function endAhead(): void {
  storage.getStore()?.end();
}
