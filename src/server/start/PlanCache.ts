import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { parseOwn } from '../../platform/ownJson';
import type { CacheFolder } from './CacheFolder';
import { digestOfFiles } from './fingerprint';
import type { Plan } from './Plan';

/** Changes when a plan is written, or carried out, in another way. */
const format = 1;
/** File systems note the time of a change with less precision than the clock has. */
const precisionMilliseconds = 20;

interface KeptPlan {
  /** Everything that was read to make the plan: configurations, descriptions of components, JSON-LD contexts. */
  files: string[];
  /** Of the files. */
  digest: string;
  plan: Plan;
}

/** Plans that were made before, each for as long as the files that it was made of stay as they are. */
export class PlanCache {
  private readonly folders: readonly CacheFolder[];

  /**
   * @param folders - Searched in this order; new plans go to the first that can be written. Without any, no plan is
   * kept.
   */
  public constructor(folders: readonly CacheFolder[]) {
    this.folders = folders;
  }

  /** False when plans are neither looked for nor kept. */
  public get isUsed(): boolean {
    return this.folders.length > 0;
  }

  /**
   * Finds the plan made of the same things, when none of its files has changed since.
   *
   * @param madeOf - Everything but the files that a plan depends on.
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
   * Keeps a plan, unless one of its files was changed while it was made.
   *
   * @param madeOf - As for {@link findPlan}.
   * @param files - Absolute paths of all files that were read.
   * @param since - When the first of them was read, in milliseconds.
   *
   * @returns False when it could not be kept.
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
    // One of them is gone.
  }
}
