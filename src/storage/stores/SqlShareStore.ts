/* eslint-disable @typescript-eslint/explicit-function-return-type -- query builders */
import type { StatusEntry } from '../../credentials/StatusListStore';
import type { Share, ShareIntent, ShareKey, SharePage, ShareStore } from '../../personal-data/ShareStore';
import { toDate, toStatusEntry, toTime } from '../columns';
import type { Engine } from '../database/engine';
import { LookUp } from '../database/LookUp';
import { cutPage, isAfterCursor } from '../cursors';
import type { Database, ShareIntentTable, ShareTable } from '../schema';
import { Insertion, Statement } from '../database/Statement';

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
const byResource = new LookUp(({ db }, resource: string) =>
  db.selectFrom('shares').selectAll().where('resource', '=', resource));
const intentsOf = new LookUp(({ db }, citizenId: string) =>
  db.selectFrom('shareIntents').selectAll().where('citizenId', '=', citizenId).orderBy('createdAt').orderBy('id'));
const saving = new Insertion<ShareTable>((db, row) => db.insertInto('shares').values(row)
  .onConflict(conflict => conflict.column('id').doUpdateSet(excluded => Object.fromEntries(
    Object.keys(row).map(column => [ column, excluded.ref(`excluded.${column as keyof ShareTable}`) ]),
  ))));
const intending = new Insertion<ShareIntentTable>((db, row) => db.insertInto('shareIntents').values(row));
const deletion = new Statement((db, id: string) => db.deleteFrom('shareIntents').where('id', '=', id));

/** Shares and share intents in the records. */
export class SqlShareStore implements ShareStore {
  public constructor(
    private readonly db: Database,
    private readonly engine: Engine,
  ) {}

  public async save(share: Share): Promise<void> {
    await saving.run(this.db, toRow(share));
  }

  public async find({ citizenId, contractId, dataType, recordId }: ShareKey): Promise<Share | undefined> {
    const row = await byKey.first(this.db, this.engine, citizenId, contractId, dataType, recordId);
    return row && toShare(row);
  }

  public async findByResource(resource: string): Promise<Share | undefined> {
    const row = await byResource.first(this.db, this.engine, resource);
    return row && toShare(row);
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
    const { rows, next } = cutPage(await query.execute(), limit, ({ createdAt, id }) => ({ at: createdAt, id }));
    return { shares: rows.map(toShare), next };
  }

  public async setAbsent(resource: string, at: Date | undefined): Promise<void> {
    await this.mark('absentAt', resource, at);
  }

  public async setInvalid(resource: string, at: Date | undefined): Promise<void> {
    await this.mark('invalidAt', resource, at);
  }

  public async setAllAbsent(citizenId: string, at: Date): Promise<StatusEntry[]> {
    await this.db.updateTable('shares').set({ absentAt: at.getTime() })
      .where('citizenId', '=', citizenId)
      .where('absentAt', 'is', null)
      .execute();
    const rows = await this.db.selectFrom('shares').select([ 'statusListId', 'statusIndex' ])
      .where('citizenId', '=', citizenId)
      .execute();
    return rows.map(({ statusListId, statusIndex }): StatusEntry | undefined =>
      toStatusEntry(statusListId, statusIndex)).filter((entry): entry is StatusEntry => entry !== undefined);
  }

  public async insertIntent(intent: ShareIntent): Promise<void> {
    const row = { ...intent, existed: Number(intent.existed), createdAt: intent.createdAt.getTime() };
    await intending.run(this.db, row);
  }

  public async deleteIntent(id: string): Promise<void> {
    await deletion.run(this.db, id);
  }

  public async listIntents(): Promise<ShareIntent[]> {
    const rows = await this.db.selectFrom('shareIntents').selectAll().orderBy('createdAt').orderBy('id').execute();
    return rows.map(toIntent);
  }

  public async listIntentsOf(citizenId: string): Promise<ShareIntent[]> {
    return (await intentsOf.all(this.db, this.engine, citizenId)).map(toIntent);
  }

  private async mark(column: 'absentAt' | 'invalidAt', resource: string, at: Date | undefined): Promise<void> {
    await this.db.updateTable('shares').set({ [column]: toTime(at) })
      .where('resource', '=', resource)
      .where(column, at ? 'is' : 'is not', null)
      .execute();
  }
}

function toRow({ status, createdAt, modifiedAt, absentAt, invalidAt, ...share }: Share): ShareTable {
  return {
    ...share,
    statusListId: status?.listId ?? null,
    statusIndex: status?.index ?? null,
    createdAt: createdAt.getTime(),
    modifiedAt: modifiedAt.getTime(),
    absentAt: toTime(absentAt),
    invalidAt: toTime(invalidAt),
  };
}

function toShare({ statusListId, statusIndex, createdAt, modifiedAt, absentAt, invalidAt, ...row }: ShareTable): Share {
  return {
    ...row,
    status: toStatusEntry(statusListId, statusIndex),
    createdAt: toDate(createdAt),
    modifiedAt: toDate(modifiedAt),
    absentAt: toDate(absentAt),
    invalidAt: toDate(invalidAt),
  };
}

function toIntent(row: ShareIntentTable): ShareIntent {
  return { ...row, existed: row.existed === 1, createdAt: toDate(row.createdAt) };
}
