/* eslint-disable @typescript-eslint/explicit-function-return-type -- query builders */
import type { SelectQueryBuilder } from 'kysely';
import type { DataCopy, DataCopyStore } from '../../data-copies/DataCopyStore';
import { toDate, toTime } from '../columns';
import { cutPage, isAfterCursor } from '../cursors';
import type { Database, DataCopyTable, Tables } from '../schema';

interface CopyPage {
  copies: DataCopy[];
  next?: string;
}

type CopyQuery = SelectQueryBuilder<Tables, 'dataCopies', DataCopyTable>;

/** Data copies in the records. */
export class SqlDataCopyStore implements DataCopyStore {
  public constructor(private readonly db: Database) {}

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
    // Closed in between: there is room now.
    return open ? { copy: toCopy(open), inserted: false } : this.insertOrGet(copy);
  }

  public async listByKey(dataUser: string, resource: string, purpose?: string): Promise<DataCopy[]> {
    const rows = await this.byKey(dataUser, resource, purpose)
      .orderBy('reportedAt', 'desc').orderBy('id', 'desc').execute();
    return rows.map(toCopy);
  }

  public async update({ id, accessGrant, grantId, system, storedAt, reportedAt }: DataCopy): Promise<void> {
    await this.db.updateTable('dataCopies')
      .set({
        accessGrant,
        grantId,
        system: system ?? null,
        storedAt: storedAt.getTime(),
        reportedAt: reportedAt.getTime(),
      })
      .where('id', '=', id)
      .where('deletedAt', 'is', null)
      .execute();
  }

  public async close(id: string, at: Date, reason: string | undefined): Promise<void> {
    await this.db.updateTable('dataCopies').set({ deletedAt: at.getTime(), deletionReason: reason ?? null })
      .where('id', '=', id)
      .where('deletedAt', 'is', null)
      .execute();
  }

  public async listByDataUser(dataUser: string, page: { limit: number; cursor?: string }): Promise<CopyPage> {
    return listPage(this.db.selectFrom('dataCopies').selectAll().where('dataUser', '=', dataUser), page);
  }

  public async listByPods(podUrls: string[], page: { limit: number; cursor?: string }): Promise<CopyPage> {
    const inPods = this.db.selectFrom('dataCopies').selectAll()
      .where(copy => copy.or(podUrls.map(podUrl => copy.and([
        copy('resource', '>=', podUrl),
        copy('resource', '<', afterPrefix(podUrl)),
      ]))));
    return listPage(inPods, page);
  }

  private byKey(dataUser: string, resource: string, purpose?: string): CopyQuery {
    const query = this.db.selectFrom('dataCopies').selectAll()
      .where('dataUser', '=', dataUser)
      .where('resource', '=', resource);
    return purpose === undefined ? query : query.where('purpose', '=', purpose);
  }
}

async function listPage(copies: CopyQuery, { limit, cursor }: { limit: number; cursor?: string }): Promise<CopyPage> {
  let query = copies.orderBy('reportedAt', 'desc').orderBy('id', 'desc').limit(limit + 1);
  if (cursor !== undefined) {
    query = query.where(isAfterCursor('reportedAt', cursor));
  }
  const { rows, next } = cutPage(await query.execute(), limit, ({ reportedAt, id }) => ({ at: reportedAt, id }));
  return { copies: rows.map(toCopy), next };
}

/** The first text, byte by byte, that comes after all that start with this ASCII prefix. */
function afterPrefix(prefix: string): string {
  return `${prefix.slice(0, -1)}${String.fromCodePoint(prefix.codePointAt(prefix.length - 1)! + 1)}`;
}

function toRow(copy: DataCopy): DataCopyTable {
  return {
    ...copy,
    system: copy.system ?? null,
    storedAt: copy.storedAt.getTime(),
    reportedAt: copy.reportedAt.getTime(),
    deletedAt: toTime(copy.deletedAt),
    deletionReason: copy.deletionReason ?? null,
  };
}

function toCopy(row: DataCopyTable): DataCopy {
  return {
    ...row,
    system: row.system ?? undefined,
    storedAt: toDate(row.storedAt),
    reportedAt: toDate(row.reportedAt),
    deletedAt: toDate(row.deletedAt),
    deletionReason: row.deletionReason ?? undefined,
  };
}
