import { sql } from 'kysely';
import type { SqlBool } from 'kysely';
import { toDate, toTime } from '../../storage/columns';
import { openJson, planReference, planReferences, planRequestPlace, sealJson } from '../../storage/keys/planSeals';
import type { Vault } from '../../storage/keys/Vault';
import type { Database, PlanRequestTable, PlanRequestZoneTable } from '../../storage/schema';
import type {
  ArchivedRequest,
  ListedMapRequest,
  MapRequest,
  MapRequestFilter,
  MapRequestState,
  MapRequestStore,
  RequestZone,
  SeenMapRequestFilter,
  UnaZoneState,
} from '../PlanStores';
import { fromZone, toZone } from './zones';

/** Maximum archived requests removed in one transaction. */
const archivedAtOnce = 50;

/** Columns of a list, without those of the zone, which are up to 400 KB each. */
const listed = [
  'planRequests.id',
  'planRequests.organisationId',
  'planRequests.receivedAt',
  'planRequests.packageBy',
  'planRequests.archivedAt',
  'planRequests.closedAt',
  'planRequests.content',
  'planRequests.zones',
  'planRequests.plans',
] as const;

type ListedColumn = typeof listed[number] extends `planRequests.${infer Name}` ? Name : never;

/** Conditions that mean each state of a request. */
const facts: Record<MapRequestState | 'any', { progress?: string; isLate?: boolean }> = {
  any: {},
  NoUnaInvolved: { progress: 'nobody' },
  Waiting: { progress: 'none', isLate: false },
  TermElapsed: { progress: 'none', isLate: true },
  IncompleteAnswerAvailable: { progress: 'some', isLate: false },
  IncompletePackageAvailable: { progress: 'some', isLate: true },
  PlansAvailable: { progress: 'plans' },
  NoNetworksInZone: { progress: 'nothing' },
};

/** Plan requests in the records. */
export class SqlMapRequestStore implements MapRequestStore {
  public constructor(private readonly db: Database, private readonly vault: Vault) {}

  public async save(
    request: MapRequest,
    zones: readonly RequestZone[],
    pdas: readonly string[],
  ): Promise<void> {
    const { archivedAt, closedAt, content, given, packageBy, polygons, receivedAt, srs, ...ids } = request;
    await this.vault.lock(this.db);
    const reference = planReference(this.vault, content.reference);
    await this.db.insertInto('planRequests').values({
      ...ids,
      reference,
      receivedAt: receivedAt.getTime(),
      packageBy: packageBy.getTime(),
      archivedAt: archivedAt.getTime(),
      closedAt: toTime(closedAt),
      content: sealJson(this.vault, planRequestPlace(ids.id), content),
      ...fromZone({ given, polygons, srs }),
    }).execute();
    for (const zone of zones) {
      await this.db.insertInto('planRequestZones').values({ ...fromRequestZone(zone), reference }).execute();
    }
    const seen = {
      requestId: request.id,
      receivedAt: receivedAt.getTime(),
      archivedAt: archivedAt.getTime(),
      packageBy: packageBy.getTime(),
      progress: progressOf(request),
    };
    for (const organisationId of pdas) {
      await this.db.insertInto('planRequestPdas').values({ ...seen, organisationId }).execute();
    }
  }

  public async find(id: string): Promise<MapRequest | undefined> {
    const row = await this.db.selectFrom('planRequests').selectAll().where('id', '=', id).executeTakeFirst();
    return row && this.toMapRequest(row);
  }

  /** Locks the row by a write that changes nothing, which works on both engines. */
  public async lock(id: string): Promise<MapRequest | undefined> {
    await this.db.updateTable('planRequests').set({ id }).where('id', '=', id).execute();
    return this.find(id);
  }

  public async listZones(requestIds: readonly string[]): Promise<RequestZone[]> {
    if (requestIds.length === 0) {
      return [];
    }
    const rows = await this.db.selectFrom('planRequestZones').selectAll().where('requestId', 'in', requestIds)
      .orderBy('requestId')
      .orderBy('zoneId')
      .execute();
    return rows.map(toRequestZone);
  }

  public async listFiled(organisationId: string, filter: MapRequestFilter & { now: Date }):
  Promise<ListedMapRequest[]> {
    const { closed, limit, now, offset, receivedAfter, reference } = filter;
    let query = this.db.selectFrom('planRequests').select(listed)
      .where('organisationId', '=', organisationId)
      .where('archivedAt', '>', now.getTime());
    query = receivedAfter === undefined ? query : query.where('receivedAt', '>', receivedAfter.getTime());
    query = closed === undefined ? query : query.where('closedAt', closed ? 'is not' : 'is', null);
    query = reference === undefined ? query : query.where('reference', 'in', await this.indexesOf(reference));
    const rows = await query.orderBy('receivedAt', 'desc').orderBy('id', 'desc').limit(limit).offset(offset).execute();
    return this.toListed(rows);
  }

  public async listReceived(organisationId: string, filter: MapRequestFilter & { now: Date }):
  Promise<ListedMapRequest[]> {
    const { closed, limit, now, offset, receivedAfter, reference, state, zoneId } = filter;
    let query = this.db.selectFrom('planRequestZones').select([ 'requestId', 'receivedAt' ]).distinct()
      .where('archivedAt', '>', now.getTime());
    // Uses the index on the more selective column: `is true` hides the other column from SQLite, which cannot tell.
    const isByZone = zoneId !== undefined && reference === undefined;
    query = isByZone ?
        query.where('zoneId', '=', zoneId).where(sql<SqlBool>`(organisation_id = ${organisationId}) is true`) :
        query.where('organisationId', '=', organisationId);
    query = zoneId === undefined || isByZone ? query : query.where(sql<SqlBool>`(zone_id = ${zoneId}) is true`);
    query = state === undefined ? query : query.where('state', '=', state);
    query = receivedAfter === undefined ? query : query.where('receivedAt', '>', receivedAfter.getTime());
    query = closed === undefined ? query : query.where('closedAt', closed ? 'is not' : 'is', null);
    query = reference === undefined ? query : query.where('reference', 'in', await this.indexesOf(reference));
    const found = await query.orderBy('receivedAt', 'desc').orderBy('requestId', 'desc')
      .limit(limit)
      .offset(offset)
      .execute();
    const ids = found.map(({ requestId }): string => requestId);
    const rows = await this.db.selectFrom('planRequests').select(listed).where('id', 'in', [ '', ...ids ]).execute();
    return this.toListed(rows.sort((one, other): number => ids.indexOf(one.id) - ids.indexOf(other.id)));
  }

  public async listSeen(organisationId: string, filter: SeenMapRequestFilter & { now: Date }):
  Promise<ListedMapRequest[]> {
    const { from, limit, now, offset, status, to } = filter;
    const { isLate, progress } = facts[status ?? 'any'];
    let query = this.db.selectFrom('planRequestPdas')
      .innerJoin('planRequests', 'planRequests.id', 'planRequestPdas.requestId')
      .select(listed)
      .where('planRequestPdas.organisationId', '=', organisationId)
      .where('planRequestPdas.archivedAt', '>', now.getTime());
    query = from === undefined ? query : query.where('planRequestPdas.receivedAt', '>=', from.getTime());
    query = to === undefined ? query : query.where('planRequestPdas.receivedAt', '<=', to.getTime());
    query = progress === undefined ? query : query.where('planRequestPdas.progress', '=', progress);
    // Few requests are within their term, so these are found by term and then sorted; all others are read in the order
    // of the list. `+ 0` keeps SQLite from using the index on the other column.
    const term = isLate ? sql<number>`plan_request_pdas.package_by + 0` : sql.ref<number>('planRequestPdas.packageBy');
    const order = isLate === false ?
      sql<number>`plan_request_pdas.received_at + 0` :
        sql.ref<number>('planRequestPdas.receivedAt');
    query = isLate === undefined ? query : query.where(term, isLate ? '<=' : '>', now.getTime());
    const rows = await query.orderBy(order, 'desc')
      .orderBy('planRequestPdas.requestId', 'desc')
      .limit(limit)
      .offset(offset)
      .execute();
    return this.toListed(rows);
  }

  public async isSeenBy(id: string, organisationId: string): Promise<boolean> {
    const row = await this.db.selectFrom('planRequestPdas').select('requestId')
      .where('requestId', '=', id)
      .where('organisationId', '=', organisationId)
      .executeTakeFirst();
    return row !== undefined;
  }

  public async setState({ requestId, state, zoneId }: RequestZone, at: Date, closesRequest: boolean): Promise<void> {
    const closedAt = [ 'NotInvolved', 'Responded' ].includes(state) ? at.getTime() : null;
    await this.db.updateTable('planRequestZones').set({ state, closedAt })
      .where('requestId', '=', requestId)
      .where('zoneId', '=', zoneId)
      .execute();
    const request = await this.db.updateTable('planRequests')
      .set((row): object => ({
        ...state === 'Responded' && { plans: row('plans', '+', 1) },
        id: requestId,
        ...closesRequest && { closedAt: at.getTime() },
      }))
      .where('id', '=', requestId)
      .returning([ 'closedAt', 'plans', 'zones' ])
      .executeTakeFirstOrThrow();
    await this.db.updateTable('planRequestPdas').set({ progress: progressOf(request) })
      .where('requestId', '=', requestId)
      .execute();
  }

  public async removeArchived(now: Date): Promise<ArchivedRequest[]> {
    const rows = await this.db.selectFrom('planRequests').select('id')
      .where('archivedAt', '<=', now.getTime())
      .orderBy('archivedAt')
      .limit(archivedAtOnce)
      .execute();
    const zones = await this.listZones(rows.map(({ id }): string => id));
    const removed: ArchivedRequest[] = [];
    for (const { id } of rows) {
      await this.db.deleteFrom('planPackages').where('requestId', '=', id).execute();
      await this.db.deleteFrom('planRequestPdas').where('requestId', '=', id).execute();
      await this.db.deleteFrom('planRequestZones').where('requestId', '=', id).execute();
      // Another process may have removed it already.
      const request = await this.db.deleteFrom('planRequests').where('id', '=', id)
        .returning([ 'id', 'organisationId' ])
        .executeTakeFirst();
      if (request) {
        removed.push({ ...request, sentTo: zones.filter(({ requestId }): boolean => requestId === id) });
      }
    }
    return removed;
  }

  public async isOpenIn(zoneId: string, now: Date): Promise<boolean> {
    const row = await this.db.selectFrom('planRequestZones').select('requestId')
      .where('zoneId', '=', zoneId)
      .where('closedAt', 'is', null)
      .where('archivedAt', '>', now.getTime())
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  private async indexesOf(reference: string): Promise<string[]> {
    return planReferences(this.vault, this.db, reference);
  }

  private async toListed(rows: Pick<PlanRequestTable, ListedColumn>[]): Promise<ListedMapRequest[]> {
    return Promise.all(rows.map(async(row): Promise<ListedMapRequest> => this.open(row)));
  }

  private async toMapRequest(row: PlanRequestTable): Promise<MapRequest> {
    return { ...await this.open(row), ...toZone(row) };
  }

  private async open(row: Pick<PlanRequestTable, ListedColumn>): Promise<ListedMapRequest> {
    return {
      id: row.id,
      organisationId: row.organisationId,
      receivedAt: toDate(row.receivedAt),
      packageBy: toDate(row.packageBy),
      archivedAt: toDate(row.archivedAt),
      closedAt: toDate(row.closedAt),
      content: await openJson(this.vault, this.db, planRequestPlace(row.id), row.content),
      zones: row.zones,
      plans: row.plans,
    };
  }
}

/**
 * Returns the progress of the answer to a request, which with the term determines {@link facts} and
 * `MapRequests.stateOf`.
 */
function progressOf({ closedAt, plans, zones }: { closedAt?: unknown; plans: number; zones: number }): string {
  if (zones === 0) {
    return 'nobody';
  }
  const isClosed = closedAt !== undefined && closedAt !== null;
  if (plans > 0) {
    return isClosed ? 'plans' : 'some';
  }
  return isClosed ? 'nothing' : 'none';
}

function fromRequestZone({ answerBy, archivedAt, confirmBy, receivedAt, ...zone }: RequestZone):
Omit<PlanRequestZoneTable, 'reference'> {
  return {
    ...zone,
    receivedAt: receivedAt.getTime(),
    archivedAt: archivedAt.getTime(),
    confirmBy: confirmBy.getTime(),
    answerBy: answerBy.getTime(),
    closedAt: null,
  };
}

function toRequestZone(row: PlanRequestZoneTable): RequestZone {
  return {
    requestId: row.requestId,
    zoneId: row.zoneId,
    unaId: row.unaId,
    unaName: row.unaName,
    organisationId: row.organisationId,
    receivedAt: toDate(row.receivedAt),
    archivedAt: toDate(row.archivedAt),
    // Only values of this type were written to the column.
    state: row.state as UnaZoneState,
    confirmBy: toDate(row.confirmBy),
    answerBy: toDate(row.answerBy),
  };
}
