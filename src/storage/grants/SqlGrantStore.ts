/* eslint-disable @typescript-eslint/explicit-function-return-type -- query builders */
import { sql } from 'kysely';
import type { SqlBool } from 'kysely';
import type { AccessGrant, AccessMode, GrantKind, GrantTerms } from '../../grants/AccessGrant';
import type {
  GrantFilter,
  GrantStore,
  ListedGrant,
  ListedPage,
  ListedStatus,
  PageRequest,
  RequestOutcome,
} from '../../grants/GrantStore';
import { toDate, toList, toTime } from '../columns';
import { atomically } from '../database/engine';
import type { Engine } from '../database/engine';
import { LookUp } from '../database/LookUp';
import type {
  AccessGrantTable,
  Database,
  GrantEntry,
  GrantPurposeTable,
  GrantResourceTable,
  GrantState,
  Time,
} from '../schema';
import { Insertion } from '../database/Statement';
import { listIds } from './grantPages';

/** A grant, and since when its recipient and its contract are suspended. */
type GrantRow = TermsRow & { document: string };
type ListedRow = Pick<AccessGrantTable, typeof listed[number]>;
type TermsRow = Omit<AccessGrantTable, 'createdAt' | 'document' | 'state' | 'tokenIssuer'> &
  { recipientSuspendedAt?: Time | null; contractSuspendedAt?: Time | null };

/** What decides: the credential itself is longer than all of it. */
const terms = ([
  'id',
  'uri',
  'kind',
  'subject',
  'recipient',
  'modes',
  'resources',
  'purposes',
  'inherit',
  'contractId',
  'contractDigest',
  'request',
  'statusListId',
  'statusIndex',
  'issuedAt',
  'expiresAt',
  'revokedAt',
  'invalidAt',
] as const).map(<T extends keyof AccessGrantTable>(column: T): `accessGrants.${T}` => `accessGrants.${column}`);

/** What a list is made of. */
const listed = [ 'id', 'kind', 'issuedAt', 'expiresAt', 'revokedAt', 'invalidAt', 'document' ] as const;

/** Each a look-up by key that finds nothing as a rule; together in one condition they would take ten times as long. */
const suspensions = [
  sql<Time | null>`(select suspended_at from suspensions where name = access_grants.recipient)`
    .as('recipientSuspendedAt'),
  sql<Time | null>`(select suspended_at from suspensions where name = access_grants.contract_id)`
    .as('contractSuspendedAt'),
] as const;

const byId = new LookUp(({ db }, id: string) =>
  db.selectFrom('accessGrants').selectAll().select(suspensions).where('id', '=', id));
const termsById = new LookUp(({ db }, id: string) =>
  db.selectFrom('accessGrants').select(terms).select(suspensions).where('id', '=', id), true);
const byIds = new LookUp(({ db, engine }, ids: readonly string[]) =>
  db.selectFrom('accessGrants').select(listed).where(engine.isAnyOf('id', ids)));
/** Most grants that a decision on access looks at, for each name that a grant on the resource can have. */
const usableOfControllers = 200;
const usableOfOthers = 20;

/**
 * Those that controllers gave (1), or those that others stated (0): within one index, which has none but these.
 * For both at once, and in order, SQLite takes ten times as long.
 */
const usable = new LookUp((
  { db, engine },
  recipient: string,
  resources: readonly string[],
  controlled: number,
  now: number,
  most: number,
) => db.selectFrom('grantResources')
  .innerJoin('accessGrants', 'id', 'grantId')
  .select(terms).select(suspensions)
  .where('grantResources.kind', '=', sql.lit('grant'))
  .where('grantResources.state', '=', sql.lit('open'))
  .where('grantResources.recipient', '=', recipient)
  .where(engine.isAnyOf('resource', resources))
  .where('controlled', '=', controlled)
  .where(sql<SqlBool>`(grant_resources.expires_at is null or grant_resources.expires_at > ${now})`)
  .where('revokedAt', 'is', null)
  .where('invalidAt', 'is', null)
  .limit(most));

const insertion = new Insertion<AccessGrantTable>((db, row) => db.insertInto('accessGrants').values(row));
const resourceInsertion = new Insertion<GrantResourceTable>((db, row) => db.insertInto('grantResources').values(row));
const purposeInsertion = new Insertion<GrantPurposeTable>((db, row) => db.insertInto('grantPurposes').values(row));

/** Statuses that depend on what has ended. */
const expiring: ReadonlySet<ListedStatus | undefined> = new Set([ 'Active', 'Expired', 'Pending' ]);
const settledAtOnce = 1000;
const maxTimesSettled = 5;

/** Access requests, grants and denials in the records. */
export class SqlGrantStore implements GrantStore {
  public constructor(
    private readonly db: Database,
    private readonly engine: Engine,
  ) {}

  public async insert(grant: AccessGrant, controlled: readonly string[] = grant.resources): Promise<void> {
    await atomically(this.db, async(trx): Promise<void> => {
      const row = toRow(grant);
      await insertion.run(trx, row);
      const entry = toEntry(row);
      for (const resource of new Set(grant.resources)) {
        await resourceInsertion.run(trx, { ...entry, resource, controlled: Number(controlled.includes(resource)) });
      }
      for (const purpose of new Set(grant.purposes)) {
        await purposeInsertion.run(trx, { ...entry, purpose });
      }
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

  public async listUsable(recipient: string, resources: string[], now: Date): Promise<GrantTerms[]> {
    const at = now.getTime();
    const found = await Promise.all([[ 1, usableOfControllers ], [ 0, usableOfOthers ]]
      .map(async([ controlled, most ]): Promise<TermsRow[]> =>
        usable.all(this.db, this.engine, recipient, resources, controlled, at, most * resources.length)));
    const grants = new Map<string, GrantTerms>();
    for (const row of found.flatMap((some): TermsRow[] => some.sort(newestFirst))) {
      // One that is named by several of the URIs is found several times.
      if (!grants.has(row.id)) {
        grants.set(row.id, toTerms(row));
      }
    }
    return [ ...grants.values() ];
  }

  public async listByResources(resources: string[], recipient?: string): Promise<AccessGrant[]> {
    let ids = this.db.selectFrom('grantResources').select('grantId')
      .where(this.engine.isAnyOf('resource', resources));
    if (recipient !== undefined) {
      ids = ids.where('recipient', '=', recipient);
    }
    const rows = await this.db.selectFrom('accessGrants').selectAll().select(suspensions)
      .where('id', 'in', ids)
      .where('kind', '=', 'grant')
      .orderBy('issuedAt', 'desc').orderBy('id', 'desc')
      .execute();
    return rows.map(toGrant);
  }

  public async list(filter: GrantFilter, request: PageRequest): Promise<ListedPage> {
    const isSettled = await this.settleAll(filter);
    const { ids, ...pages } = await listIds(this.db, { ...filter, isSettled }, request);
    const rows = await byIds.all(this.db, this.engine, ids);
    const found = new Map(rows.map((row): [string, ListedGrant] => [ row.id, toListed(row) ]));
    return { grants: ids.map((id): ListedGrant => found.get(id)!), ...pages };
  }

  public async answer(requestId: string, outcome: RequestOutcome): Promise<boolean> {
    return atomically(this.db, async(trx): Promise<boolean> => {
      const { numUpdatedRows } = await trx.updateTable('accessGrants').set({ state: outcome })
        .where('id', '=', requestId)
        .where('kind', '=', 'request')
        .where('state', '<>', 'revoked')
        .executeTakeFirst();
      if (numUpdatedRows > 0) {
        await this.setEntries(trx, outcome, [ requestId ]);
      }
      return numUpdatedRows > 0;
    });
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
    await atomically(this.db, async(trx): Promise<void> => {
      await trx.updateTable('accessGrants').set({ revokedAt: at.getTime(), state: 'revoked' })
        .where('id', '=', id)
        .where('revokedAt', 'is', null)
        .execute();
      await this.setEntries(trx, 'revoked', [ id ]);
    });
    return this.findById(id);
  }

  public async settle(now: Date, most: number): Promise<number> {
    if (await this.countEnded(now) === 0) {
      return 0;
    }
    return atomically(this.db, async(trx): Promise<number> => {
      const ended = trx.selectFrom('accessGrants').select('id')
        .where('state', '=', sql.lit('open'))
        .where('expiresAt', '<=', now.getTime())
        .orderBy('expiresAt')
        .limit(most);
      // What another process is settling is left to it.
      const rows = await (this.engine.name === 'postgres' ? ended.forUpdate().skipLocked() : ended).execute();
      const ids = rows.map(({ id }): string => id);
      await trx.updateTable('accessGrants').set({ state: 'expired' }).where(this.engine.isAnyOf('id', ids)).execute();
      await this.setEntries(trx, 'expired', ids);
      return ids.length;
    });
  }

  /** Whether no grant that has ended is among the open ones, where that matters; else there are only so many fewer. */
  private async settleAll({ status, now }: GrantFilter): Promise<boolean> {
    let settled = expiring.has(status) ? settledAtOnce : 0;
    for (let times = 0; times < maxTimesSettled && settled === settledAtOnce; times += 1) {
      settled = await this.settle(now, settledAtOnce);
    }
    return settled < settledAtOnce;
  }

  private async countEnded(now: Date): Promise<number> {
    const ended = await this.db.selectFrom('accessGrants').select('id')
      .where('state', '=', sql.lit('open'))
      .where('expiresAt', '<=', now.getTime())
      .limit(1)
      .execute();
    return ended.length;
  }

  private async setEntries(trx: Database, state: GrantState, ids: string[]): Promise<void> {
    for (const table of [ 'grantResources', 'grantPurposes' ] as const) {
      await trx.updateTable(table).set({ state }).where(this.engine.isAnyOf('grantId', ids)).execute();
    }
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
      for (const table of [ 'grantResources', 'grantPurposes' ] as const) {
        await trx.updateTable(table).set({ state: 'revoked' })
          .where(entry => entry.or([ entry('subject', '=', webId), entry('recipient', '=', webId) ]))
          .execute();
      }
      return revoked.map(toGrant);
    });
  }
}

function newestFirst(left: TermsRow, right: TermsRow): number {
  return right.issuedAt - left.issuedAt || (left.id < right.id ? 1 : -1);
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

function toEntry({ id, subject, recipient, issuedAt, kind, state, expiresAt }: AccessGrantTable): GrantEntry {
  return { grantId: id, subject, recipient, issuedAt, kind, state, expiresAt };
}

function toGrant(row: GrantRow): AccessGrant {
  return { ...toTerms(row), document: row.document };
}

function toListed({ id, document, ...row }: ListedRow): ListedGrant {
  return { id, document, kind: row.kind as GrantKind, ...datesOf(row) };
}

function toTerms(row: TermsRow): GrantTerms {
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
    ...datesOf(row),
    suspendedAt: toDate(row.recipientSuspendedAt ?? row.contractSuspendedAt ?? null),
  };
}

type GrantDates = Pick<GrantTerms, 'expiresAt' | 'invalidAt' | 'issuedAt' | 'revokedAt'>;

function datesOf({ issuedAt, expiresAt, revokedAt, invalidAt }: Pick<AccessGrantTable, keyof GrantDates>): GrantDates {
  return {
    issuedAt: toDate(issuedAt),
    expiresAt: toDate(expiresAt),
    revokedAt: toDate(revokedAt),
    invalidAt: toDate(invalidAt),
  };
}
