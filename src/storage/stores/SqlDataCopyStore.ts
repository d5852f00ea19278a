import { sql } from 'kysely';
import type { SelectQueryBuilder } from 'kysely';
import type { CopyToCheck, DataCopy, DataCopyStore } from '../../data-copies/DataCopyStore';
import { toDate, toTime } from '../columns';
import type { Engine } from '../database/engine';
import { cutRows, isAfterCursor } from '../cursors';
import type { Database, DataCopyTable, Tables } from '../schema';
import type { ResourceUri } from '../../pods/resourceUri';
import type { WebId } from '../../platform/webId';

interface CopyPage {
  copies: DataCopy[];
  next?: string;
}

type CopyQuery = SelectQueryBuilder<Tables, 'dataCopies', DataCopyTable>;

/** Data copies in the records. */
export class SqlDataCopyStore implements DataCopyStore {
  public constructor(
    private readonly db: Database,
    private readonly engine: Engine,
  ) {}

  public async insertOrGet(copy: DataCopy): Promise<{ copy: DataCopy; inserted: boolean }> {
    const inserted = await this.db.insertInto('dataCopies').values(toRow(copy))
      .onConflict(conflict => conflict.columns([ 'dataUser', 'resource', 'purpose' ])
        .where('deletedAt', 'is', null)
        .doNothing())
      .returningAll()
      .executeTakeFirst();
    if (inserted) {
      return { copy: toCopy(inserted), inserted: true };
    }
    const open = await this.byKey(copy.dataUser, copy.resource, copy.purpose)
      .where('deletedAt', 'is', null)
      .executeTakeFirst();
    // Closed in between: try again.
    return open ? { copy: toCopy(open), inserted: false } : this.insertOrGet(copy);
  }

  public async listByKey(dataUser: WebId, resource: ResourceUri, purpose?: string): Promise<DataCopy[]> {
    const rows = await this.byKey(dataUser, resource, purpose)
      .orderBy('reportedAt', 'desc').orderBy('id', 'desc').execute();
    return rows.map(toCopy);
  }

  public async update({ id, accessGrant, grantId, system, storedAt, reportedAt }: DataCopy): Promise<boolean> {
    const { numUpdatedRows } = await this.db.updateTable('dataCopies')
      .set(row => ({
        accessGrant,
        grantId,
        system: system ?? null,
        storedAt: storedAt.getTime(),
        reportedAt: reportedAt.getTime(),
        judgeAt: reportedAt.getTime(),
        dueAt: null,
        invalidAt: row.case().when('storedAt', '=', storedAt.getTime()).then(row.ref('invalidAt')).end(),
        absentAt: row.case().when('storedAt', '=', storedAt.getTime()).then(row.ref('absentAt')).end(),
      }))
      .where('id', '=', id)
      .where('deletedAt', 'is', null)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  public async hasOpen(resource: ResourceUri): Promise<boolean> {
    const open = await this.db.selectFrom('dataCopies').select('id')
      .where('resource', '=', resource)
      .where('deletedAt', 'is', null)
      .limit(1)
      .executeTakeFirst();
    return open !== undefined;
  }

  public async close(id: string, at: Date, reason: string | undefined): Promise<boolean> {
    const { numUpdatedRows } = await this.db.updateTable('dataCopies')
      .set({ deletedAt: at.getTime(), deletionReason: reason ?? null, judgeAt: null })
      .where('id', '=', id)
      .where('deletedAt', 'is', null)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  public async checkSoon(what: { grants: readonly string[] } | { resource: ResourceUri }, at: Date): Promise<void> {
    const open = this.db.updateTable('dataCopies').set({ judgeAt: at.getTime() })
      .where('deletedAt', 'is', null)
      .where('dueAt', 'is', null);
    await ('resource' in what ?
        open.where('resource', '=', what.resource) :
        open.where(this.engine.isAnyOf('grantId', what.grants))).execute();
  }

  public async setInvalid(resource: ResourceUri, at: Date, reportedBefore: Date): Promise<void> {
    await this.db.updateTable('dataCopies').set({ invalidAt: at.getTime() })
      .where('resource', '=', resource)
      .where('reportedAt', '<', reportedBefore.getTime())
      .where('invalidAt', 'is', null)
      .where(row => row.or([ row('deletedAt', 'is', null), row('deletedAt', '>=', at.getTime()) ]))
      .execute();
  }

  public async setAbsent(
    resource: ResourceUri,
    at: Date,
    which: { reportedBefore: Date } | 'deleted',
  ): Promise<void> {
    await this.db.updateTable('dataCopies').set({ absentAt: at.getTime() })
      .where('resource', '=', resource)
      .where('absentAt', 'is', null)
      .where((row) => {
        const isDeletedLater = row('deletedAt', '>=', at.getTime());
        return which === 'deleted' ?
          isDeletedLater :
            row('reportedAt', '<', which.reportedBefore.getTime())
              .and(row.or([ row('deletedAt', 'is', null), isDeletedLater ]));
      })
      .execute();
  }

  public async listToCheck(by: Date, limit: number): Promise<CopyToCheck[]> {
    const query = toCheck(this.db, by, limit);
    const rows = await (this.engine.rowLocks ? query.forUpdate().skipLocked() : query).execute();
    return rows.map((row): CopyToCheck => ({ ...toCopy(row), dueAt: toDate(row.dueAt) }));
  }

  public async setNextCheck(id: string, { checkAt, dueAt }: { checkAt?: Date; dueAt?: Date }): Promise<void> {
    await this.db.updateTable('dataCopies').set({ judgeAt: toTime(checkAt), dueAt: toTime(dueAt) })
      .where('id', '=', id)
      .where('deletedAt', 'is', null)
      .execute();
  }

  public async listByDataUser(dataUser: WebId, page: { limit: number; cursor?: string }): Promise<CopyPage> {
    return listPage(this.db.selectFrom('dataCopies').selectAll().where('dataUser', '=', dataUser), page);
  }

  public async listByPod(podUrl: string, page: { limit: number; cursor?: string }): Promise<CopyPage> {
    const inPod = this.db.selectFrom('dataCopies').selectAll()
      .where(sql.ref<string>('resource'), '>=', podUrl)
      .where(sql.ref<string>('resource'), '<', `${podUrl.slice(0, -1)}0`);
    return listPage(inPod, page);
  }

  /** Lists by pod, so that each pod costs one look-up in the index, however many copies there are. */
  public async listByOwner(owner: WebId, page: { limit: number; cursor?: string }): Promise<CopyPage> {
    const inPods = this.db.selectFrom('podOwners')
      .innerJoin('dataCopies', join => join
        .onRef('dataCopies.resource', '>=', 'podOwners.podUrl')
        // The first text in byte order after all that begin with the pod's URL.
        .on(sql.ref<string>('dataCopies.resource'), '<', sql<string>`substr(pod_url, 1, length(pod_url) - 1) || '0'`))
      .where('podOwners.webId', '=', owner)
      .where('dataCopies.dataUser', '<>', owner)
      .select('dataCopies.id');
    return listPage(this.db.selectFrom('dataCopies').selectAll().where('id', 'in', inPods), page);
  }

  private byKey(dataUser: WebId, resource: ResourceUri, purpose?: string): CopyQuery {
    const query = this.db.selectFrom('dataCopies').selectAll()
      .where('dataUser', '=', dataUser)
      .where('resource', '=', resource);
    return purpose === undefined ? query : query.where('purpose', '=', purpose);
  }
}

/** Selects open copies that are due for a check by a moment: the start of an index. */
// eslint-disable-next-line @typescript-eslint/explicit-function-return-type -- a query builder
export function toCheck(db: Database, by: Date, limit: number) {
  return db.selectFrom('dataCopies').selectAll()
    .where('judgeAt', '<=', by.getTime())
    .orderBy('judgeAt')
    .limit(limit);
}

async function listPage(copies: CopyQuery, { limit, cursor }: { limit: number; cursor?: string }): Promise<CopyPage> {
  let query = copies.orderBy('reportedAt', 'desc').orderBy('id', 'desc').limit(limit + 1);
  if (cursor !== undefined) {
    query = query.where(isAfterCursor('reportedAt', cursor));
  }
  const { rows, next } = cutRows(await query.execute(), limit, ({ reportedAt, id }) => ({ at: reportedAt, id }));
  return { copies: rows.map(toCopy), next };
}

function toRow(copy: DataCopy): DataCopyTable {
  return {
    ...copy,
    system: copy.system ?? null,
    storedAt: copy.storedAt.getTime(),
    reportedAt: copy.reportedAt.getTime(),
    deletedAt: toTime(copy.deletedAt),
    deletionReason: copy.deletionReason ?? null,
    invalidAt: toTime(copy.invalidAt),
    absentAt: toTime(copy.absentAt),
    judgeAt: copy.deletedAt ? null : copy.reportedAt.getTime(),
    dueAt: null,
  };
}

function toCopy({ dueAt, judgeAt, ...row }: DataCopyTable): DataCopy {
  return {
    ...row,
    system: row.system ?? undefined,
    storedAt: toDate(row.storedAt),
    reportedAt: toDate(row.reportedAt),
    deletedAt: toDate(row.deletedAt),
    deletionReason: row.deletionReason ?? undefined,
    invalidAt: toDate(row.invalidAt),
    absentAt: toDate(row.absentAt),
  };
}
