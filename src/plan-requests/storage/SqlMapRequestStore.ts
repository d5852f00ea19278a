import { sql } from 'kysely';
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { toDate, toTime } from '../../storage/columns';
import { openJson, planReference, planReferences, planRequestPlace, sealJson } from '../../storage/keys/planSeals';
import type { Vault } from '../../storage/keys/Vault';
import type { Database, PlanRequestTable, PlanRequestZoneTable, Tables } from '../../storage/schema';
import type {
  ArchivedRequest,
  ListedMapRequest,
  MapRequest,
  MapRequestContent,
  MapRequestFilter,
  MapRequestState,
  MapRequestStore,
  RequestZone,
  SeenMapRequestFilter,
  UnaZoneState,
} from '../PlanStores';
import { fromZone, toZone } from './zones';

/** Archived requests that are removed in one transaction. */
const archivedAtOnce = 50;

/** The columns of a list: those of the zone, of 400 KB each at most, are left out. */
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
    await this.db.insertInto('planRequests').values({
      ...ids,
      reference: planReference(this.vault, content.reference),
      receivedAt: receivedAt.getTime(),
      packageBy: packageBy.getTime(),
      archivedAt: archivedAt.getTime(),
      closedAt: toTime(closedAt),
      content: sealJson(this.vault, planRequestPlace(ids.id), content),
      ...fromZone({ given, polygons, srs }),
    }).execute();
    for (const zone of zones) {
      await this.db.insertInto('planRequestZones').values(fromRequestZone(zone)).execute();
    }
    const dates = { receivedAt: receivedAt.getTime(), archivedAt: archivedAt.getTime() };
    for (const organisationId of pdas) {
      await this.db.insertInto('planRequestPdas').values({ requestId: request.id, organisationId, ...dates }).execute();
    }
  }

  public async find(id: string): Promise<MapRequest | undefined> {
    const row = await this.db.selectFrom('planRequests').selectAll().where('id', '=', id).executeTakeFirst();
    return row && this.toMapRequest(row);
  }

  /** By a write that changes nothing, which both engines have. */
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
    query = reference === undefined ? query : query.where('reference', 'in', await this.indexesOf(reference));
    query = receivedAfter === undefined ? query : query.where('receivedAt', '>', receivedAfter.getTime());
    query = closed === undefined ? query : query.where('closedAt', closed ? 'is not' : 'is', null);
    const rows = await query.orderBy('receivedAt', 'desc').orderBy('id', 'desc').limit(limit).offset(offset).execute();
    return this.toListed(rows);
  }

  public async listReceived(organisationId: string, filter: MapRequestFilter & { now: Date }):
  Promise<ListedMapRequest[]> {
    const { closed, limit, now, offset, receivedAfter, reference, state, zoneId } = filter;
    // Few have a reference, and many an organisation: the database would go through the latter.
    const organisation = reference === undefined ?
        sql.ref<string>('organisationId') :
      sql<string>`organisation_id || ''`;
    let query = this.db.selectFrom('planRequestZones').select([ 'requestId', 'receivedAt' ]).distinct()
      .where(organisation, '=', organisationId)
      .where('archivedAt', '>', now.getTime());
    query = zoneId === undefined ? query : query.where('zoneId', '=', zoneId);
    query = state === undefined ? query : query.where('state', '=', state);
    query = receivedAfter === undefined ? query : query.where('receivedAt', '>', receivedAfter.getTime());
    query = closed === undefined ? query : query.where('closedAt', closed ? 'is not' : 'is', null);
    if (reference !== undefined) {
      const indexes = await this.indexesOf(reference);
      const referred = this.db.selectFrom('planRequests').select('id').where('reference', 'in', indexes);
      query = query.where('requestId', 'in', referred);
    }
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
    let query = this.db.selectFrom('planRequestPdas')
      .innerJoin('planRequests', 'planRequests.id', 'planRequestPdas.requestId')
      .select(listed)
      .where('planRequestPdas.organisationId', '=', organisationId)
      .where('planRequestPdas.archivedAt', '>', now.getTime());
    query = from === undefined ? query : query.where('planRequestPdas.receivedAt', '>=', from.getTime());
    query = to === undefined ? query : query.where('planRequestPdas.receivedAt', '<=', to.getTime());
    query = status === undefined ? query : query.where((row): Expression<SqlBool> => isIn(row, status, now));
    const rows = await query.orderBy('planRequestPdas.receivedAt', 'desc')
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
    await this.db.updateTable('planRequests')
      .set((row): object => ({
        ...state === 'Responded' && { plans: row('plans', '+', 1) },
        id: requestId,
        ...closesRequest && { closedAt: at.getTime() },
      }))
      .where('id', '=', requestId)
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
      // Another process may have been faster.
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
      content: await openJson(this.vault, this.db, planRequestPlace(row.id), row.content) as MapRequestContent,
      zones: row.zones,
      plans: row.plans,
    };
  }
}

/** Facts of the states of requests that were sent to anybody. */
const facts: Record<Exclude<MapRequestState, 'NoUnaInvolved'>, { plans: boolean; closed: boolean; late?: boolean }> = {
  Waiting: { plans: false, closed: false, late: false },
  TermElapsed: { plans: false, closed: false, late: true },
  IncompleteAnswerAvailable: { plans: true, closed: false, late: false },
  IncompletePackageAvailable: { plans: true, closed: false, late: true },
  PlansAvailable: { plans: true, closed: true },
  NoNetworksInZone: { plans: false, closed: true },
};

/** The condition of a state: the same rule as `MapRequests.stateOf`. */
function isIn(row: ExpressionBuilder<Tables, 'planRequests'>, state: MapRequestState, now: Date): Expression<SqlBool> {
  if (state === 'NoUnaInvolved') {
    return row('planRequests.zones', '=', 0);
  }
  const { closed, late, plans } = facts[state];
  return row.and([
    row('planRequests.zones', '>', 0),
    row('planRequests.plans', plans ? '>' : '=', 0),
    row('planRequests.closedAt', closed ? 'is not' : 'is', null),
    ...late === undefined ? [] : [ row('planRequests.packageBy', late ? '<=' : '>', now.getTime()) ],
  ]);
}

function fromRequestZone({ answerBy, archivedAt, confirmBy, receivedAt, ...zone }: RequestZone): PlanRequestZoneTable {
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
    state: row.state as UnaZoneState,
    confirmBy: toDate(row.confirmBy),
    answerBy: toDate(row.answerBy),
  };
}
