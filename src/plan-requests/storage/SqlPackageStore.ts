import { sql } from 'kysely';
import { toDate, toTime } from '../../storage/columns';
import type { Engine } from '../../storage/database/engine';
import type { Database, PlanPackageTable } from '../../storage/schema';
import type { PackageReport } from '../packages/Report';
import type { NetworkPackage, PackageStore, WaitingTests } from '../PlanStores';
import { parseOwn } from '../../platform/ownJson';

/** Arbitrary, but must stay the same: the kind of lock that {@link SqlPackageStore.lockTests} takes. */
const testsLock = 7_205_760;

/** Packages in the records; their bytes are files. */
export class SqlPackageStore implements PackageStore {
  public constructor(private readonly db: Database, private readonly engine: Pick<Engine, 'rowLocks'>) {}

  public async find(id: string): Promise<NetworkPackage | undefined> {
    const row = await this.db.selectFrom('planPackages').selectAll().where('id', '=', id).executeTakeFirst();
    return row && toPackage(row);
  }

  public async listOf(requestId: string): Promise<NetworkPackage[]> {
    const rows = await this.db.selectFrom('planPackages').selectAll()
      .where('requestId', '=', requestId)
      .orderBy('receivedAt', 'desc')
      .orderBy('id')
      .execute();
    return rows.map(toPackage);
  }

  public async save({ finishedAt, receivedAt, report, requestId, zoneId, ...made }: NetworkPackage): Promise<void> {
    await this.db.insertInto('planPackages').values({
      ...made,
      requestId: requestId ?? null,
      zoneId: zoneId ?? null,
      receivedAt: receivedAt.getTime(),
      finishedAt: toTime(finishedAt),
      report: JSON.stringify(report),
    }).execute();
  }

  public async note(id: string, report: PackageReport): Promise<void> {
    await this.db.updateTable('planPackages').set({ report: JSON.stringify(report) })
      .where('id', '=', id)
      .where('finishedAt', 'is', null)
      .execute();
  }

  public async finish({ finishedAt, id, report, state }: NetworkPackage): Promise<void> {
    await this.db.updateTable('planPackages')
      .set({ finishedAt: toTime(finishedAt), report: JSON.stringify(report), state })
      .where('id', '=', id)
      .execute();
  }

  public async removeTestsBefore(moment: Date): Promise<void> {
    await this.db.deleteFrom('planPackages')
      .where('requestId', 'is', null)
      .where('receivedAt', '<', moment.getTime())
      .execute();
  }

  public async lockTests(organisationId: string): Promise<void> {
    if (this.engine.rowLocks) {
      await sql`select pg_advisory_xact_lock(${testsLock}, hashtext(${organisationId}))`.execute(this.db);
    }
  }

  public async countWaitingTests(organisationId: string): Promise<WaitingTests> {
    const { bytes, count } = await this.db.selectFrom('planPackages')
      .select([
        sql<number | string>`coalesce(sum(size), 0)`.as('bytes'),
        sql<number>`count(*)`.as('count'),
      ])
      .where('organisationId', '=', organisationId)
      .where('finishedAt', 'is', null)
      .where('requestId', 'is', null)
      .executeTakeFirstOrThrow();
    // PostgreSQL returns sums of large integers as text.
    return { bytes: Number(bytes), count };
  }

  public async listNeeded(ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) {
      return new Set();
    }
    const rows = await this.db.selectFrom('planPackages').select('id').where('id', 'in', ids)
      .where((row): ReturnType<typeof row.or> => row.or([
        row('state', '=', 'Validating'),
        row.and([ row('state', '=', 'Accepted'), row('requestId', 'is not', null) ]),
      ]))
      .execute();
    return new Set(rows.map(({ id }): string => id));
  }
}

function toPackage(row: PlanPackageTable): NetworkPackage {
  const { finishedAt, receivedAt, report, requestId, state, zoneId, ...rest } = row;
  return {
    ...rest,
    ...requestId !== null && { requestId },
    ...zoneId !== null && { zoneId },
    receivedAt: toDate(receivedAt),
    finishedAt: toDate(finishedAt),
    // Only values of this type were written to the column.
    state: state as NetworkPackage['state'],
    report: parseOwn(report),
  };
}
