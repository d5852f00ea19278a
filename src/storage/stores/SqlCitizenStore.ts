import { sql } from 'kysely';
import type { Expression, SqlBool } from 'kysely';
import type { Citizen, CitizenState, CitizenStore, NewCitizen } from '../../identity/CitizenStore';
import { NationalNumber } from '../../identity/NationalNumber';
import { IdentityAmbiguous, IdentityMismatch, WebIdNotFound } from '../../problems';
import { toDate } from '../columns';
import { codeOf } from '../../platform/errors';
import { atomically, serializationFailure, uniqueViolation } from '../database/engine';
import type { Engine } from '../database/engine';
import { LookUp } from '../database/LookUp';
import type { CitizenTable, Database } from '../schema';
import type { Vault } from '../keys/Vault';
import type { WebId } from '../../platform/webId';

const byId = new LookUp(({ db }, id: string) => db.selectFrom('citizens').selectAll().where('id', '=', id));
const sealedById = new LookUp(({ db }, id: string) =>
  db.selectFrom('citizens').select('numberSealed').where('id', '=', id));
const byWebId = new LookUp(({ db }, webId: WebId) =>
  db.selectFrom('citizens').selectAll().where('webId', '=', webId));
const byPodUrl = new LookUp(({ db }, podUrl: string) =>
  db.selectFrom('citizens').selectAll().where('podUrl', '=', podUrl));
const byNumber = new LookUp(({ db }, index: string) =>
  db.selectFrom('citizens').selectAll().where('numberIndex', '=', index));
const byNumbers = new LookUp(({ db, engine }, indexes: readonly string[]) =>
  db.selectFrom('citizens').selectAll().where(engine.isAnyOf('numberIndex', indexes)));
const tombstone = new LookUp(({ db }, podUrl: string) =>
  db.selectFrom('podTombstones').select('podUrl').where('podUrl', '=', podUrl));
/** Finds the state of the citizen whose WebID was made here, and of an erased pod: at most one row each. */
const standing = new LookUp(({ db }, webId: WebId, podUrl: string) =>
  db.selectFrom('citizens').select('state').where('webId', '=', webId).where('brought', 'is', null)
    .$castTo<{ state: CitizenState | 'ERASED' }>()
    .unionAll(db.selectFrom('podTombstones').select(sql.lit<'ERASED'>('ERASED').as('state'))
      .where('podUrl', '=', podUrl)), { decides: true });

const isPodMadeHere = sql<SqlBool>`(brought is null or brought <> 'POD')`;

const closed = new LookUp(({ db }, ofCitizen: string, erased: string) =>
  db.selectFrom('citizens').select('podUrl').where('podUrl', '=', ofCitizen)
    .where('state', '=', sql.lit<'DELETING'>('DELETING'))
    .where(isPodMadeHere)
    .unionAll(db.selectFrom('podTombstones').select('podUrl').where('podUrl', '=', erased)), { decides: true });

/** Citizens in the records. */
export class SqlCitizenStore implements CitizenStore {
  public constructor(
    private readonly db: Database,
    private readonly vault: Vault,
    private readonly engine: Engine,
  ) {}

  public async insertOrGet(citizen: NewCitizen): Promise<{ citizen: Citizen; inserted: boolean }> {
    const inserted = await atomically(this.db, async(trx): Promise<CitizenTable | undefined> => {
      await this.vault.lock(trx);
      // Under an earlier key the same number has another index.
      return await this.findRow(trx, citizen.nationalNumber) ? undefined : insert(trx, this.toRow(citizen));
    });
    if (inserted) {
      return { citizen: toCitizen(inserted), inserted: true };
    }
    const existing = await this.findByNationalNumber(citizen.nationalNumber);
    if (!existing) {
      await this.requireFree(citizen);
    }
    // Erased in between: try again.
    return existing ? { citizen: existing, inserted: false } : this.insertOrGet(citizen);
  }

  public async findByNationalNumber(nationalNumber: NationalNumber): Promise<Citizen | undefined> {
    let row = await this.findRow(this.db, nationalNumber);
    if (!row && await this.vault.findsNewKeys(this.db)) {
      row = await this.findRow(this.db, nationalNumber);
    }
    return row && toCitizen(row);
  }

  public async findByWebId(webId: WebId): Promise<Citizen | undefined> {
    return this.find(byWebId, webId);
  }

  public async findByPodUrl(podUrl: string): Promise<Citizen | undefined> {
    return this.find(byPodUrl, podUrl);
  }

  public async findById(id: string): Promise<Citizen | undefined> {
    return this.find(byId, id);
  }

  public async lockIfActive(id: string): Promise<boolean> {
    const query = this.db.selectFrom('citizens').select('state').where('id', '=', id);
    const row = await (this.engine.rowLocks ? query.forShare() : query).executeTakeFirst();
    return row?.state === 'ACTIVE';
  }

  public async lockForChange(id: string): Promise<boolean> {
    const query = this.db.selectFrom('citizens').select('state').where('id', '=', id);
    const row = await (this.engine.rowLocks ? query.forUpdate() : query).executeTakeFirst();
    return row?.state === 'ACTIVE';
  }

  public async getNationalNumber(id: string): Promise<NationalNumber> {
    const row = await sealedById.first(this.db, this.engine, id);
    if (!row) {
      throw new WebIdNotFound();
    }
    return this.numberOf(this.db, { id, numberSealed: row.numberSealed });
  }

  public async listByState(state: CitizenState): Promise<Citizen[]> {
    const rows = await this.db.selectFrom('citizens').selectAll().where('state', '=', state)
      .orderBy('createdAt').orderBy('id').execute();
    return rows.map(toCitizen);
  }

  public async listPage(after: string, limit: number, state?: CitizenState): Promise<Citizen[]> {
    const page = this.db.selectFrom('citizens').selectAll().where('id', '>', after).orderBy('id').limit(limit);
    return (await (state ? page.where('state', '=', state) : page).execute()).map(toCitizen);
  }

  public async setNationalNumber(id: string, nationalNumber: NationalNumber): Promise<void> {
    await atomically(this.db, async(trx): Promise<void> => {
      await this.vault.lock(trx);
      await trx.updateTable('citizens').set(this.sealNumber(id, nationalNumber)).where('id', '=', id).execute()
        .catch(asConflict);
    });
  }

  public async setAccount(id: string, known: string | undefined, accountId: string): Promise<boolean> {
    const { numUpdatedRows } = await this.db.updateTable('citizens').set({ accountId })
      .where('id', '=', id)
      .where('state', '=', 'CREATING')
      .where(query => query.or([
        query('accountId', known === undefined ? 'is' : '=', known ?? null),
        query('accountId', '=', accountId),
      ]))
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  public async activate(id: string, accountId: string | undefined): Promise<boolean> {
    const { numUpdatedRows } = await this.db.updateTable('citizens').set({ state: 'ACTIVE' })
      .where('id', '=', id)
      .where('state', '=', 'CREATING')
      .where('accountId', accountId === undefined ? 'is' : '=', accountId ?? null)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  public async setState(id: string, state: CitizenState): Promise<boolean> {
    const { numUpdatedRows } = await this.db.updateTable('citizens').set({ state })
      .where('id', '=', id)
      .where('state', '!=', state)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  public async requestErasure(id: string, at: Date): Promise<void> {
    await this.db.insertInto('erasures').values({ citizenId: id, requestedAt: at.getTime(), claimedAt: null })
      .onConflict(conflict => conflict.column('citizenId').doUpdateSet({ claimedAt: null }))
      .execute();
  }

  public async claimErasure(now: Date, unlessSince: Date): Promise<Citizen | undefined> {
    const open = await this.db.selectFrom('erasures').select('citizenId')
      .where(isClaimable(unlessSince))
      .orderBy('requestedAt').limit(1)
      .executeTakeFirst();
    // With the same condition again: only one of two processes gets it.
    const claimed = open && await this.db.updateTable('erasures').set({ claimedAt: now.getTime() })
      .where('citizenId', '=', open.citizenId)
      .where(isClaimable(unlessSince))
      .returning('citizenId')
      .executeTakeFirst();
    return claimed && this.findById(claimed.citizenId);
  }

  public async erase(id: string, at: Date): Promise<void> {
    await atomically(this.db, async(trx): Promise<void> => {
      await trx.deleteFrom('erasures').where('citizenId', '=', id).execute();
      const erased = await trx.deleteFrom('citizens').where('id', '=', id).returning([ 'podUrl', 'brought' ])
        .executeTakeFirst();
      if (erased && erased.brought !== 'POD') {
        await trx.insertInto('podTombstones').values({ podUrl: erased.podUrl, erasedAt: at.getTime() })
          .onConflict(conflict => conflict.doNothing())
          .execute();
      }
    });
  }

  public async isClosed(podUrl: string): Promise<boolean> {
    return await closed.first(this.db, this.engine, podUrl, podUrl) !== undefined;
  }

  public async listErased(after: string, limit: number): Promise<string[]> {
    const rows = await this.db.selectFrom('podTombstones').select('podUrl')
      .where('podUrl', '>', after)
      .orderBy('podUrl')
      .limit(limit)
      .execute();
    return rows.map(({ podUrl }): string => podUrl);
  }

  public async isTombstone(podUrl: string): Promise<boolean> {
    return await tombstone.first(this.db, this.engine, podUrl) !== undefined;
  }

  public async standingOf(webId: WebId, podUrl: string): Promise<CitizenState | 'ERASED' | undefined> {
    const found = (await standing.all(this.db, this.engine, webId, podUrl))
      .map(({ state }): CitizenState | 'ERASED' => state);
    return found.find((state): boolean => state !== 'ERASED') ?? found.at(0);
  }

  /** Refuses a WebID or pod that belongs to another citizen on record. */
  private async requireFree({ podUrl, webId }: NewCitizen): Promise<void> {
    if (await this.findByWebId(webId)) {
      throw new IdentityMismatch('The WebID is that of another citizen on record.');
    }
    if (await this.findByPodUrl(podUrl)) {
      throw new IdentityAmbiguous('The pod of the WebID is that of another citizen on record.');
    }
  }

  /** Finds a row by its index under the key in use, and under earlier ones while there are any. */
  private async findRow(db: Database, nationalNumber: NationalNumber): Promise<CitizenTable | undefined> {
    const indexes = this.vault.blindIndexes('citizen-number', nationalNumber.reveal());
    const row = indexes.length === 1 ?
        await byNumber.first(db, this.engine, indexes[0]) :
        await byNumbers.first(db, this.engine, indexes);
    if (row && !nationalNumber.equals(await this.numberOf(db, row))) {
      // Swapped with another row, so that a token would be taken for another citizen's.
      throw new Error('The index of a national number does not belong to its row: the records were changed.');
    }
    return row;
  }

  private async numberOf(
    db: Database,
    { id, numberSealed }: Pick<CitizenTable, 'id' | 'numberSealed'>,
  ): Promise<NationalNumber> {
    return NationalNumber.stored((await this.vault.decrypt(db, numberPlace(id), numberSealed)).toString());
  }

  private async find<T extends string>(lookUp: LookUp<[T], CitizenTable>, value: T): Promise<Citizen | undefined> {
    const row = await lookUp.first(this.db, this.engine, value);
    return row && toCitizen(row);
  }

  private sealNumber(id: string, nationalNumber: NationalNumber): Pick<CitizenTable, 'numberIndex' | 'numberSealed'> {
    return {
      numberIndex: this.vault.blindIndex('citizen-number', nationalNumber.reveal()),
      numberSealed: this.vault.encrypt(numberPlace(id), Buffer.from(nationalNumber.reveal())),
    };
  }

  private toRow({ id, webId, podUrl, brought, nationalNumber, createdAt }: NewCitizen): CitizenTable {
    return {
      id,
      webId,
      podUrl,
      brought: brought ?? null,
      ...this.sealNumber(id, nationalNumber),
      state: 'CREATING',
      accountId: null,
      createdAt: createdAt.getTime(),
    };
  }
}

function isClaimable(unlessSince: Date): Expression<SqlBool> {
  return sql<SqlBool>`(claimed_at is null or claimed_at < ${unlessSince.getTime()})`;
}

async function insert(trx: Database, row: CitizenTable): Promise<CitizenTable | undefined> {
  return trx.insertInto('citizens').values(row)
    .onConflict(conflict => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
}

/** Names the row of a number, to which it is sealed. */
export function numberPlace(id: string): string {
  return `citizens/${id}`;
}

function toCitizen(row: CitizenTable): Citizen {
  return {
    id: row.id,
    webId: row.webId,
    podUrl: row.podUrl,
    brought: row.brought ?? undefined,
    state: row.state,
    accountId: row.accountId ?? undefined,
    createdAt: toDate(row.createdAt),
  };
}

/**
 * Turns `unique_violation` into `serialization_failure`: somebody has taken a number that nobody had a moment ago, so
 * the transaction is tried again, and finds them.
 */
function asConflict(cause: unknown): never {
  throw codeOf(cause) === uniqueViolation ?
      Object.assign(new Error('The number was taken meanwhile', { cause }), { code: serializationFailure }) :
    cause;
}
