import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { parseOwn } from '../../platform/ownJson';
import type { CacheFolder } from './CacheFolder';
import { digestOfFiles } from './fingerprint';
import type { Plan } from './Plan';

/** Increase when plans are written or executed differently. */
const format = 1;
/** Precision of the times of changes in file systems, which is lower than that of the clock. */
const precisionMilliseconds = 20;

interface KeptPlan {
  /** All files read to make the plan: configurations, descriptions of components, JSON-LD contexts. */
  files: string[];
  /** Digest of the files. */
  digest: string;
  plan: Plan;
}

/** Cached plans, each valid as long as its files are unchanged. */
export class PlanCache {
  private readonly folders: readonly CacheFolder[];

  /**
   * @param folders - Searched in this order; new plans are written to the first that is writable. Without any, no plan
   * is cached.
   */
  public constructor(folders: readonly CacheFolder[]) {
    this.folders = folders;
  }

  /** False when plans are neither looked up nor cached. */
  public get isUsed(): boolean {
    return this.folders.length > 0;
  }

  /**
   * Finds the plan of the same sources, if none of its files has changed since.
   *
   * @param madeOf - Everything except the files that a plan depends on.
   */
  public findPlan(madeOf: unknown): Plan | undefined {
    for (const folder of this.folders) {
      const content = folder.read(keyOf(madeOf));
      const plan = content === undefined ? undefined : currentPlan(parseOwn(content));
      if (plan) {
        return plan;
      }
    }
  }

  /**
   * Caches a plan, unless one of its files changed meanwhile.
   *
   * @param madeOf - Same as for {@link findPlan}.
   * @param files - Absolute paths of all files that were read.
   * @param since - Time when the first of them was read, in ms since 1970.
   *
   * @returns False when it could not be cached.
   */
  public keep(madeOf: unknown, plan: Plan, files: readonly string[], since: number): boolean {
    const sorted = [ ...new Set(files) ].sort();
    const digest = digestOfFiles(sorted);
    const stats = sorted.map((file): { ctimeMs: number; mode: number } => statSync(file));
    if (stats.some(({ ctimeMs }): boolean => ctimeMs > since - precisionMilliseconds)) {
      return false;
    }
    const content = JSON.stringify({ files: sorted, digest, plan } satisfies KeptPlan);
    // A user who may not read the configuration may not read its plan either.
    const isPublic = stats.every(({ mode }): boolean => (mode & 0o004) !== 0);
    return this.folders.some((folder): boolean => folder.write(keyOf(madeOf), content, isPublic));
  }
}

function keyOf(madeOf: unknown): string {
  return createHash('sha256').update(JSON.stringify([ format, madeOf ])).digest('hex').slice(0, 32);
}

function currentPlan({ files, digest, plan }: KeptPlan): Plan | undefined {
  try {
    return digestOfFiles(files) === digest ? plan : undefined;
  } catch {
    // A file is missing.
  }
}
