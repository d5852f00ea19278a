import type { AccessGrant, GrantTerms } from '../../grants/AccessGrant';
import type {
  GrantFilter,
  GrantSelection,
  GrantStore,
  GrantSummary,
  ListedGrant,
  ListedPage,
  NamedQuery,
  PageRequest,
  RequestOutcome,
  TermsPage,
} from '../../grants/GrantStore';
import { toList } from '../columns';
import { atomically } from '../database/engine';
import type { Engine } from '../database/engine';
import { Insertion } from '../database/Statement';
import type { AccessGrantTable, Database } from '../schema';
import type { WebId } from '../../platform/webId';
import { endEntries, endEntriesOf, insertEntries, setEntries } from './grantEntries';
import {
  anyOpenOn,
  byId,
  byIds,
  listedAtMost,
  listedColumns,
  namedIn,
  onResources,
  onResourcesTo,
  openAtMost,
  openOnBy,
  termsById,
  termsByIds,
} from './grantLookUps';
import { listIds } from './grantPages';
import { invalidAt, revokedAt, toGrant, toListed, toRow } from './grantRows';
import type { ListedRow } from './grantRows';
import type { EventsIn, SettledGrants } from './settleGrants';
import { settle, settleFor } from './settleGrants';
import { newestFirst, toTerms } from './SqlUsableGrants';
import type { TermsRow } from './SqlUsableGrants';

const insertion = new Insertion<AccessGrantTable>((db, row) => db.insertInto('accessGrants').values(row));

/** Access requests, grants and denials in the records. */
export class SqlGrantStore implements GrantStore {
  public constructor(
    private readonly db: Database,
    private readonly engine: Engine,
    private readonly events: EventsIn,
  ) {}

  public async insert(grant: AccessGrant, controlled: readonly string[] = grant.resources): Promise<void> {
    await atomically(this.db, async(trx): Promise<void> => {
      const row = toRow(grant);
      await insertion.run(trx, row);
      await insertEntries(trx, row, grant, controlled);
    });
  }

  public async findById(id: string): Promise<AccessGrant | undefined> {
    const row = await byId.first(this.db, this.engine, id);
    return row && toGrant(row);
  }

  public async findTerms(id: string): Promise<GrantTerms | undefined> {
    const row = await termsById.first(this.db, this.engine, id);
    return row && toTerms(row);
  }

  public async listByResources(resources: string[], recipient?: WebId): Promise<GrantTerms[]> {
    const found = await Promise.all(listedAtMost.map(async([ controlled, each ]): Promise<TermsRow[]> => {
      const most = each * resources.length;
      return recipient === undefined ?
          onResources.all(this.db, this.engine, resources, controlled, most) :
          onResourcesTo.all(this.db, this.engine, resources, controlled, recipient, most);
    }));
    const rows = new Map(found.flat().map((row): [string, TermsRow] => [ row.id, row ]));
    return [ ...rows.values() ].sort(newestFirst).map(toTerms);
  }

  public async listOpen(resources: string[], subject: WebId, now: Date): Promise<GrantTerms[]> {
    const rows = await openOnBy.all(this.db, this.engine, resources, now.getTime(), subject, openAtMost);
    return rows.map(toTerms);
  }

  public async hasOpen(resources: string[], now: Date): Promise<boolean> {
    return await anyOpenOn.first(this.db, this.engine, resources, now.getTime()) !== undefined;
  }

  public async listNamed({ by, ...query }: NamedQuery): Promise<string[]> {
    const parties = 'recipient' in by ? [ by ] : by.subjects.map((subject): { subject: WebId } => ({ subject }));
    const found = await Promise.all(parties.map(async(party): Promise<{ resource: string }[]> =>
      namedIn(this.db, party, query).execute()));
    const resources = new Set(found.flat().map(({ resource }): string => resource));
    return [ ...resources ].sort(compareBytes).slice(0, query.limit);
  }

  public async list(filter: GrantFilter, request: PageRequest): Promise<ListedPage> {
    const isSettled = await settleFor(this.settled, filter);
    const { ids, rows, ...pages } =
      await listIds<ListedRow>(this.settled, { ...filter, isSettled }, request, listedColumns);
    return { grants: rows?.map(toListed) ?? await this.listByIds(ids), ...pages };
  }

  public async listTerms(filter: GrantFilter, request: PageRequest): Promise<TermsPage> {
    const isSettled = await settleFor(this.settled, filter);
    const { ids, next } = await listIds(this.settled, { ...filter, isSettled }, request);
    const rows = await termsByIds.all(this.db, this.engine, ids);
    const found = new Map(rows.map((row): [string, GrantTerms] => [ row.id, toTerms(row) ]));
    return { grants: ids.flatMap((id): GrantTerms | [] => found.get(id) ?? []), next };
  }

  public async answer(requestId: string, outcome: RequestOutcome): Promise<boolean> {
    return atomically(this.db, async(trx): Promise<boolean> => {
      const { numUpdatedRows } = await trx.updateTable('accessGrants').set({ state: outcome })
        .where('id', '=', requestId)
        .where('kind', '=', 'request')
        .where('state', '<>', 'revoked')
        .executeTakeFirst();
      if (numUpdatedRows > 0) {
        await setEntries(trx, this.engine, outcome, [ requestId ]);
      }
      return numUpdatedRows > 0;
    });
  }

  public async countMade(
    by: { subject: WebId } | { tokenIssuer: string },
    since: Date,
    most: number,
  ): Promise<number> {
    const [ column, value ] = 'subject' in by ?
        [ 'subject', by.subject ] as const :
        [ 'tokenIssuer', by.tokenIssuer ] as const;
    const { made } = await this.db
      .selectFrom(this.db.selectFrom('accessGrants').select('createdAt')
        .where(column, '=', value)
        .where('tokenIssuer', 'is not', null)
        .where('createdAt', '>=', since.getTime())
        .limit(most)
        .as('counted'))
      .select(({ fn }) => fn.countAll<number>().as('made'))
      .executeTakeFirstOrThrow();
    return made;
  }

  public async listRecipients(now: Date): Promise<WebId[]> {
    const rows = await inForce(this.db, now).select('recipient').distinct().orderBy('recipient').execute();
    return rows.flatMap(({ recipient }): WebId[] => recipient === '' ? [] : [ recipient ]);
  }

  public async summarise(which: GrantSelection, now: Date): Promise<GrantSummary> {
    const grants = inForce(this.db, now);
    const selected = 'contract' in which ?
        grants.where('contractId', '=', which.contract) :
        grants.where(this.engine.isAnyOf('recipient', which.recipients));
    return selected.select(({ fn }) => [
      fn.countAll<number>().as('grants'),
      fn.count<number>('subject').distinct().as('subjects'),
      fn.count<number>('contractId').distinct().as('contracts'),
    ]).executeTakeFirstOrThrow();
  }

  public async revoke(id: string, at: Date): Promise<boolean> {
    return atomically(this.db, async(trx): Promise<boolean> => {
      const { numUpdatedRows } = await trx.updateTable('accessGrants').set(revokedAt(at))
        .where('id', '=', id)
        .where('revokedAt', 'is', null)
        .executeTakeFirst();
      await endEntries(trx, this.engine, [ id ]);
      return numUpdatedRows > 0n;
    });
  }

  public async settle(now: Date, most: number): Promise<number> {
    return settle(this.settled, now, most);
  }

  public async endAllOf(webId: WebId, at: Date): Promise<AccessGrant[]> {
    return atomically(this.db, async(trx): Promise<AccessGrant[]> => {
      await trx.updateTable('accessGrants').set(invalidAt(at))
        .where('recipient', '=', webId)
        .where('invalidAt', 'is', null)
        .execute();
      const revoked = await trx.updateTable('accessGrants').set(revokedAt(at))
        .where('subject', '=', webId)
        .where('revokedAt', 'is', null)
        .returningAll()
        .execute();
      await endEntriesOf(trx, webId);
      return revoked.map(toGrant);
    });
  }

  public async endGivenIn(webId: WebId, container: string, at: Date): Promise<AccessGrant[]> {
    return atomically(this.db, async(trx): Promise<AccessGrant[]> => {
      const given = await trx.selectFrom('accessGrants').select([ 'id', 'resources' ])
        .where('subject', '=', webId)
        .where('revokedAt', 'is', null)
        .execute();
      const ids = given.filter(({ resources }): boolean => areIn(container, resources)).map(({ id }): string => id);
      const revoked = await trx.updateTable('accessGrants').set(revokedAt(at))
        .where(this.engine.isAnyOf('id', ids))
        .where('revokedAt', 'is', null)
        .returningAll()
        .execute();
      await endEntries(trx, this.engine, ids);
      return revoked.map(toGrant);
    });
  }

  private async listByIds(ids: string[]): Promise<ListedGrant[]> {
    const rows = await byIds.all(this.db, this.engine, ids);
    const found = new Map(rows.map((row): [string, ListedGrant] => [ row.id, toListed(row) ]));
    return ids.flatMap((id): ListedGrant | [] => found.get(id) ?? []);
  }

  private get settled(): SettledGrants {
    return { db: this.db, engine: this.engine, events: this.events };
  }
}

// eslint-disable-next-line @typescript-eslint/explicit-function-return-type -- a query builder
function inForce(db: Database, now: Date) {
  return db.selectFrom('accessGrants')
    .where('kind', '=', 'grant')
    .where('revokedAt', 'is', null)
    .where('invalidAt', 'is', null)
    .where(eb => eb.or([ eb('expiresAt', 'is', null), eb('expiresAt', '>', now.getTime()) ]));
}

/** Compares as both databases do: URIs are ASCII. */
function compareBytes(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}

/** @param text - JSON of a list of URIs. */
function areIn(container: string, text: string): boolean {
  const resources = toList(text);
  return resources.length > 0 && resources.every((resource): boolean => resource.startsWith(container));
}
