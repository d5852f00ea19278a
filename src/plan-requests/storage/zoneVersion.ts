import type { Database } from '../../storage/schema';

/** Id of the only row. */
const id = 1;

/**
 * Counts a change of zones within its transaction. The row stays locked until the transaction ends, so that versions
 * become visible in order: whoever sees one sees all earlier ones.
 */
export async function nextVersion(trx: Database): Promise<number> {
  const { version } = await trx.insertInto('planVersions').values({ id, version: 1 })
    .onConflict((conflict): ReturnType<ReturnType<typeof conflict.column>['doUpdateSet']> =>
      conflict.column('id').doUpdateSet((row): { version: ReturnType<typeof row> } =>
        ({ version: row('planVersions.version', '+', 1) })))
    .returning('version')
    .executeTakeFirstOrThrow();
  return version;
}

/** Returns the number of changes so far. */
export async function currentVersion(db: Database): Promise<number> {
  const row = await db.selectFrom('planVersions').select('version').where('id', '=', id).executeTakeFirst();
  return row?.version ?? 0;
}
