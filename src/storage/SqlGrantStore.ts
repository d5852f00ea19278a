/* eslint-disable @typescript-eslint/explicit-function-return-type -- query builders */
import { sql } from 'kysely';
import type { AccessGrant, AccessMode, GrantKind } from '../grants/AccessGrant';
import type { GrantFilter, GrantStore, ListedPage, PageRequest, RequestOutcome } from '../grants/GrantStore';
import { toDate, toList, toTime } from './columns';
import { atomically } from './engine';
import type { Engine } from './engine';
import { LookUp } from './LookUp';
import { listIds } from './grantPages';
import type { AccessGrantTable, Database, GrantEntry, Time } from './schema';

/** Two look-ups by key, which find nothing as a rule. */
const suspendedAt = sql<Time | null>`(select max(suspended_at) from suspensions
  where name in (access_grants.recipient, access_grants.contract_id))`.as('suspendedAt');

const byId = new LookUp(({ db }, id: string) =>
  db.selectFrom('accessGrants').selectAll().select(suspendedAt).where('id', '=', id));

/** Access requests, grants and denials in the records. */
export class SqlGrantStore implements GrantStore {
  public constructor(
    private readonly db: Database,
    private readonly engine: Engine,
  ) {}

  public async insert(grant: AccessGrant): Promise<void> {
    await atomically(this.db, async(trx): Promise<void> => {
      await trx.insertInto('accessGrants').values(toRow(grant)).execute();
      const entry = toEntry(grant);
      for (const resource of new Set(grant.resources)) {
        await trx.insertInto('grantResources').values({ ...entry, resource }).execute();
      }
      for (const purpose of new Set(grant.purposes)) {
        await trx.insertInto('grantPurposes').values({ ...entry, purpose }).execute();
      }
    });
  }

  public async findById(id: string): Promise<AccessGrant | undefined> {
    const row = await byId.first(this.db, this.engine, id);
    return row && toGrant(row);
  }

  public async listUsable(recipient: string, resources: string[], now: Date): Promise<AccessGrant[]> {
    const ids = this.db.selectFrom('grantResources').select('grantId')
      .where('recipient', '=', recipient)
      .where(this.engine.isAnyOf('resource', resources));
    const rows = await this.db.selectFrom('accessGrants').selectAll().select(suspendedAt)
      .where('id', 'in', ids)
      .where('kind', '=', 'grant')
      .where('revokedAt', 'is', null)
      .where('invalidAt', 'is', null)
      .where(grant => grant.or([ grant('expiresAt', 'is', null), grant('expiresAt', '>', now.getTime()) ]))
      .orderBy('issuedAt', 'desc').orderBy('id', 'desc')
      .execute();
    return rows.map(toGrant);
  }

  public async listByResources(resources: string[], recipient?: string): Promise<AccessGrant[]> {
    let ids = this.db.selectFrom('grantResources').select('grantId')
      .where(this.engine.isAnyOf('resource', resources));
    if (recipient !== undefined) {
      ids = ids.where('recipient', '=', recipient);
    }
    const rows = await this.db.selectFrom('accessGrants').selectAll().select(suspendedAt)
      .where('id', 'in', ids)
      .where('kind', '=', 'grant')
      .orderBy('issuedAt', 'desc').orderBy('id', 'desc')
      .execute();
    return rows.map(toGrant);
  }

  public async list(filter: GrantFilter, request: PageRequest): Promise<ListedPage> {
    const { ids, ...pages } = await listIds(this.db, filter, request);
    const rows = await this.db.selectFrom('accessGrants').selectAll()
      .where(this.engine.isAnyOf('id', ids))
      .execute();
    const byId = new Map(rows.map((row): [string, AccessGrantTable] => [ row.id, row ]));
    return { grants: ids.map((id): AccessGrant => toGrant(byId.get(id)!)), ...pages };
  }

  public async answer(requestId: string, outcome: RequestOutcome): Promise<boolean> {
    const { numUpdatedRows } = await this.db.updateTable('accessGrants').set({ state: outcome })
      .where('id', '=', requestId)
      .where('kind', '=', 'request')
      .where('state', '<>', 'revoked')
      .executeTakeFirst();
    return numUpdatedRows > 0;
  }

  public async countMade(
    by: { subject: string } | { tokenIssuer: string },
    since: Date,
    most: number,
  ): Promise<number> {
    const [[ column, value ]] = Object.entries(by) as ['subject' | 'tokenIssuer', string][];
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

  public async revoke(id: string, at: Date): Promise<AccessGrant | undefined> {
    await this.db.updateTable('accessGrants').set({ revokedAt: at.getTime(), state: 'revoked' })
      .where('id', '=', id)
      .where('revokedAt', 'is', null)
      .execute();
    return this.findById(id);
  }

  public async endAllOf(webId: string, at: Date): Promise<AccessGrant[]> {
    return atomically(this.db, async(trx): Promise<AccessGrant[]> => {
      await trx.updateTable('accessGrants').set({ invalidAt: at.getTime(), state: 'revoked' })
        .where('recipient', '=', webId)
        .where('invalidAt', 'is', null)
        .execute();
      const revoked = await trx.updateTable('accessGrants').set({ revokedAt: at.getTime(), state: 'revoked' })
        .where('subject', '=', webId)
        .where('revokedAt', 'is', null)
        .returningAll()
        .execute();
      return revoked.map(toGrant);
    });
  }
}

function toRow(grant: AccessGrant): AccessGrantTable {
  return {
    id: grant.id,
    uri: grant.uri,
    kind: grant.kind,
    subject: grant.subject,
    recipient: grant.recipient,
    modes: JSON.stringify(grant.modes),
    resources: JSON.stringify(grant.resources),
    purposes: JSON.stringify(grant.purposes),
    inherit: Number(grant.inherit),
    contractId: grant.contract?.id ?? null,
    contractDigest: grant.contract?.digest ?? null,
    request: grant.request ?? null,
    statusListId: grant.status.listId,
    statusIndex: grant.status.index,
    issuedAt: grant.issuedAt.getTime(),
    expiresAt: toTime(grant.expiresAt),
    revokedAt: toTime(grant.revokedAt),
    invalidAt: toTime(grant.invalidAt),
    document: grant.document,
    state: grant.revokedAt ?? grant.invalidAt ? 'revoked' : 'open',
    createdAt: (grant.made?.at ?? grant.issuedAt).getTime(),
    tokenIssuer: grant.made?.tokenIssuer ?? null,
  };
}

function toEntry({ id, subject, recipient, issuedAt }: AccessGrant): GrantEntry {
  return { grantId: id, subject, recipient, issuedAt: issuedAt.getTime() };
}

function toGrant(row: AccessGrantTable & { suspendedAt?: Time | null }): AccessGrant {
  return {
    id: row.id,
    uri: row.uri,
    kind: row.kind as GrantKind,
    subject: row.subject,
    recipient: row.recipient,
    modes: toList<AccessMode>(row.modes),
    resources: toList(row.resources),
    purposes: toList(row.purposes),
    inherit: row.inherit === 1,
    contract: row.contractId === null ? undefined : { id: row.contractId, digest: row.contractDigest ?? '' },
    request: row.request ?? undefined,
    status: { listId: row.statusListId, index: row.statusIndex },
    issuedAt: toDate(row.issuedAt),
    expiresAt: toDate(row.expiresAt),
    revokedAt: toDate(row.revokedAt),
    invalidAt: toDate(row.invalidAt),
    suspendedAt: toDate(row.suspendedAt ?? null),
    document: row.document,
  };
}
