import { sql } from 'kysely';
import type { StatusEntry } from '../../credentials/StatusListStore';
import type {
  CheckedShare,
  InvalidReason,
  Share,
  ShareIntent,
  ShareKey,
  SharePage,
  ShareStore,
} from '../../personal-data/ShareStore';
import { toDate, toStatusEntry, toTime } from '../columns';
import type { Engine } from '../database/engine';
import { LookUp } from '../database/LookUp';
import { cutRows, isAfterCursor } from '../cursors';
import type { Database, ShareIntentTable, ShareTable } from '../schema';
import { Insertion, Statement } from '../database/Statement';
import { atomically } from '../database/engine';
import type { ResourceUri } from '../../pods/resourceUri';
import { namesOf } from '../../platform/lists';

const byKey = new LookUp((
  { db },
  citizenId: string,
  contractId: string,
  dataType: string,
  recordId: string,
) => db.selectFrom('shares').selectAll()
  .where('citizenId', '=', citizenId)
  .where('contractId', '=', contractId)
  .where('dataType', '=', dataType)
  .where('recordId', '=', recordId));
const byResource = new LookUp(({ db }, resource: ResourceUri) =>
  db.selectFrom('shares').selectAll().where('resource', '=', resource));
const typesOf = new LookUp(({ db, engine }, resources: readonly string[]) =>
  db.selectFrom('shares').select([ 'resource', 'dataType' ]).where(engine.isAnyOf('resource', resources)));
const intentsOf = new LookUp(({ db }, citizenId: string) =>
  db.selectFrom('shareIntents').selectAll().where('citizenId', '=', citizenId).orderBy('createdAt').orderBy('id'));
const saving = new Insertion<ShareTable>((db, row) => db.insertInto('shares').values(row)
  .onConflict(conflict => conflict.column('id').doUpdateSet(excluded => Object.fromEntries(
    namesOf(row).map(column => [ column, excluded.ref(`excluded.${column}`) ]),
  ))));
/** In the order of the inserting statement. */
const intentColumns = [ 'id', 'citizenId', 'resource', 'digest', 'existed', 'plan', 'createdAt' ] as const;
const deletion = new Statement((db, id: string) => db.deleteFrom('shareIntents').where('id', '=', id));
const taking = new Statement((db, id: string, digest: string) =>
  db.deleteFrom('shareIntents').where('id', '=', id).where('digest', '=', digest).returning('id'));

/** Shares and share intents in the records. */
export class SqlShareStore implements ShareStore {
  private readonly intending: Statement<[string], unknown>;

  public constructor(
    private readonly db: Database,
    private readonly engine: Engine,
  ) {
    this.intending = new Statement((on, intents: string) => on.insertInto('shareIntents')
      .columns(intentColumns)
      .expression(sql`select value ->> 0, value ->> 1, value ->> 2, value ->> 3,
        cast(value ->> 4 as integer), value ->> 5, cast(value ->> 6 as bigint)
        from ${engine.elementsOf(intents)}`));
  }

  public async save(share: Share): Promise<void> {
    await saving.run(this.db, toRow(share));
  }

  public async find({ citizenId, contractId, dataType, recordId }: ShareKey): Promise<Share | undefined> {
    const row = await byKey.first(this.db, this.engine, citizenId, contractId, dataType, recordId);
    return row && toShare(row);
  }

  public async findByResource(resource: ResourceUri): Promise<Share | undefined> {
    const row = await byResource.first(this.db, this.engine, resource);
    return row && toShare(row);
  }

  public async findTypes(resources: readonly string[]): Promise<Map<string, string>> {
    const rows = await typesOf.all(this.db, this.engine, resources);
    return new Map(rows.map(({ resource, dataType }): [string, string] => [ resource, dataType ]));
  }

  public async list(
    citizenId: string,
    { dataType, limit, cursor }: { dataType?: string; limit: number; cursor?: string },
  ): Promise<SharePage> {
    let query = this.db.selectFrom('shares').selectAll().where('citizenId', '=', citizenId)
      .orderBy('createdAt', 'desc').orderBy('id', 'desc').limit(limit + 1);
    if (dataType !== undefined) {
      query = query.where('dataType', '=', dataType);
    }
    if (cursor !== undefined) {
      query = query.where(isAfterCursor('createdAt', cursor));
    }
    const { rows, next } = cutRows(await query.execute(), limit, ({ createdAt, id }) => ({ at: createdAt, id }));
    return { shares: rows.map(toShare), next };
  }

  /** Clearing the mark makes the share due for a check at once. */
  public async setAbsent(resource: ResourceUri, at: Date | undefined): Promise<boolean> {
    const { numUpdatedRows } = await this.db.updateTable('shares')
      .set(row => ({
        absentAt: toTime(at),
        checkAt: at ? null : row.case().when('invalidAt', 'is', null).then(row.ref('modifiedAt')).end(),
      }))
      .where('resource', '=', resource)
      .where('absentAt', at ? 'is' : 'is not', null)
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0;
  }

  public async setInvalid(
    { digest, resource }: Pick<Share, 'digest' | 'resource'>,
    at: Date,
    reason: InvalidReason,
  ): Promise<boolean> {
    const { numUpdatedRows } = await this.db.updateTable('shares')
      .set({ invalidAt: at.getTime(), invalidReason: reason, checkAt: null })
      .where('resource', '=', resource)
      .where('digest', '=', digest)
      .where('invalidAt', 'is', null)
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0;
  }

  public async listDue(dataType: string, by: Date, limit: number): Promise<Share[]> {
    const rows = await due(this.db, dataType, by.getTime(), limit).execute();
    return rows.map(toShare);
  }

  public async setChecked(checked: CheckedShare[]): Promise<void> {
    await atomically(this.db, async(trx): Promise<void> => {
      for (const { id, digest, checkAt, checkedAt } of checked) {
        await trx.updateTable('shares')
          .set({ checkAt: toTime(checkAt), ...checkedAt && { checkedAt: checkedAt.getTime() }})
          .where('id', '=', id)
          .where('digest', '=', digest)
          .where('checkAt', 'is not', null)
          .execute();
      }
    });
  }

  public async requestCheck(resource: ResourceUri): Promise<void> {
    await this.db.updateTable('shares').set({ checkAt: 0 })
      .where('resource', '=', resource)
      .where('checkAt', 'is not', null)
      .execute();
  }

  public async setAllAbsent(
    citizenId: string,
    at: Date,
  ): Promise<{ resources: ResourceUri[]; statuses: StatusEntry[] }> {
    const marked = await this.db.updateTable('shares').set({ absentAt: at.getTime(), checkAt: null })
      .where('citizenId', '=', citizenId)
      .where('absentAt', 'is', null)
      .returning('resource')
      .execute();
    const rows = await this.db.selectFrom('shares').select([ 'statusListId', 'statusIndex' ])
      .where('citizenId', '=', citizenId)
      .execute();
    const statuses = rows.map(({ statusListId, statusIndex }): StatusEntry | undefined =>
      toStatusEntry(statusListId, statusIndex)).filter((entry): entry is StatusEntry => entry !== undefined);
    return { resources: marked.map(({ resource }): ResourceUri => resource), statuses };
  }

  public async forgetRecords(citizenId: string): Promise<void> {
    await this.db.updateTable('shares')
      // Stays unique among the shares of the citizen.
      .set(row => ({ recordId: row.ref('id'), version: '', digest: '' }))
      .where('citizenId', '=', citizenId)
      .execute();
  }

  public async insertIntents(intents: readonly ShareIntent[]): Promise<void> {
    const rows = intents.map((intent): ShareIntentTable =>
      ({ ...intent, existed: Number(intent.existed), createdAt: intent.createdAt.getTime() }));
    const values = rows.map((row): unknown[] => intentColumns.map((column): unknown => row[column]));
    await this.intending.run(this.db, JSON.stringify(values));
  }

  public async deleteIntent(id: string): Promise<void> {
    await deletion.run(this.db, id);
  }

  public async takeIntent(id: string, digest: string): Promise<boolean> {
    return (await taking.run(this.db, id, digest)).length > 0;
  }

  public async listIntents(): Promise<ShareIntent[]> {
    const rows = await this.db.selectFrom('shareIntents').selectAll().orderBy('createdAt').orderBy('id').execute();
    return rows.map(toIntent);
  }

  public async listIntentsOf(citizenId: string): Promise<ShareIntent[]> {
    return (await intentsOf.all(this.db, this.engine, citizenId)).map(toIntent);
  }
}

/** Selects shares to be checked by a moment: the start of one range of the index. */
// eslint-disable-next-line @typescript-eslint/explicit-function-return-type -- a query builder
export function due(db: Database, dataType: string, by: number, limit: number) {
  return db.selectFrom('shares').selectAll()
    .where('dataType', '=', dataType)
    .where('checkAt', '<=', by)
    .orderBy('checkAt')
    .limit(limit);
}

/** A share without a date of its next check is checked at once. */
function toRow({ status, ...share }: Share): ShareTable {
  const { createdAt, modifiedAt, absentAt, invalidAt, expiresAt, checkedAt } = share;
  const isEnded = absentAt !== undefined || invalidAt !== undefined;
  return {
    ...share,
    statusListId: status?.listId ?? null,
    statusIndex: status?.index ?? null,
    createdAt: createdAt.getTime(),
    modifiedAt: modifiedAt.getTime(),
    absentAt: toTime(absentAt),
    invalidAt: toTime(invalidAt),
    invalidReason: share.invalidReason ?? null,
    expiresAt: toTime(expiresAt),
    checkedAt: toTime(checkedAt),
    checkAt: isEnded ? null : (share.checkAt ?? modifiedAt).getTime(),
  };
}

function toShare({ statusListId, statusIndex, ...row }: ShareTable): Share {
  const { createdAt, modifiedAt, absentAt, invalidAt, invalidReason, expiresAt, checkedAt, checkAt } = row;
  return {
    ...row,
    status: toStatusEntry(statusListId, statusIndex),
    createdAt: toDate(createdAt),
    modifiedAt: toDate(modifiedAt),
    absentAt: toDate(absentAt),
    invalidAt: toDate(invalidAt),
    invalidReason: invalidReason ?? undefined,
    expiresAt: toDate(expiresAt),
    checkedAt: toDate(checkedAt),
    checkAt: toDate(checkAt),
  };
}

function toIntent(row: ShareIntentTable): ShareIntent {
  return { ...row, existed: row.existed === 1, createdAt: toDate(row.createdAt) };
}
