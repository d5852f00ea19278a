import { sql } from 'kysely';
import type { SqlBool } from 'kysely';
import type { AccessMode, GrantTerms } from '../../grants/AccessGrant';
import type { PresentedGrant, UsableGrants } from '../../grants/GrantStore';
import type { WebId } from '../../platform/webId';
import { toDate, toList } from '../columns';
import type { Engine } from '../database/engine';
import { LookUp } from '../database/LookUp';
import type { AccessGrantTable, Database, Time } from '../schema';

/** Columns of the terms, without the credential, which is longer than all of them. */
export const terms = ([
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

/**
 * When the recipient and the contract of a grant were suspended.
 *
 * Each is a look-up by key that usually finds nothing; a single condition for both takes ten times as long.
 */
export const suspensions = [
  sql<Time | null>`(select suspended_at from suspensions where name = access_grants.recipient)`
    .as('recipientSuspendedAt'),
  sql<Time | null>`(select suspended_at from suspensions where name = access_grants.contract_id)`
    .as('contractSuspendedAt'),
] as const;

/** The terms of a grant, and when its recipient and its contract were suspended. */
export type TermsRow = Omit<AccessGrantTable, 'createdAt' | 'document' | 'state' | 'tokenIssuer'> &
  { recipientSuspendedAt?: Time | null; contractSuspendedAt?: Time | null };

/** Stored dates of a grant. */
export type GrantDates = Pick<GrantTerms, 'expiresAt' | 'invalidAt' | 'issuedAt' | 'revokedAt'>;

/** Finds terms by id; `owned` is 1 when the subject owns one of these pods. */
const presentedById = new LookUp(({ db, engine }, podUrls: readonly string[], id: string) =>
  db.selectFrom('accessGrants').select(terms).select(suspensions)
    .select(eb => eb.selectFrom('podOwners').select(sql<number>`1`.as('owned'))
      .whereRef('webId', '=', 'accessGrants.subject')
      .where(engine.isAnyOf('podUrl', podUrls))
      .limit(sql.lit(1))
      .as('isOwned'))
    .where('id', '=', id), { decides: true });

/**
 * Maximum grants that a decision on access reads, for each URI that a grant on the resource can name: those given by
 * controllers of the resource (1) come before those stated by others (0).
 */
const usableAtMost = [[ 1, 200 ], [ 0, 20 ]] as const;

/**
 * Finds open grants to a recipient on any of these resources: those given by controllers, or those stated by others.
 * Reads one index, which has only open grants. SQLite takes ten times as long to read both kinds at once, in order.
 */
const usable = new LookUp((
  { db, engine },
  recipient: WebId,
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
  .limit(most), { isFrequent: true });

/** Look-ups of grants for decisions on access. */
export class SqlUsableGrants implements UsableGrants {
  public constructor(
    private readonly db: Database,
    private readonly engine: Engine,
  ) {}

  public async findPresented(id: string, podUrls: readonly string[]): Promise<PresentedGrant | undefined> {
    const row = await presentedById.first(this.db, this.engine, podUrls, id);
    return row && { terms: toTerms(row), isOfOwner: row.isOwned === 1 };
  }

  public async listUsable(recipient: WebId, resources: string[], now: Date): Promise<GrantTerms[]> {
    const grants = new Map<string, GrantTerms>();
    for (const row of (await this.lookUpBoth(recipient, resources, now)).flat()) {
      // A grant is found once for each of the URIs that it names.
      if (!grants.has(row.id)) {
        grants.set(row.id, toTerms(row));
      }
    }
    return [ ...grants.values() ];
  }

  public async findUsable(
    recipient: WebId,
    resources: string[],
    now: Date,
    isWanted: (grant: GrantTerms) => Promise<boolean>,
  ): Promise<GrantTerms | undefined> {
    // On PostgreSQL, one statement answers both look-ups. On SQLite, the second one is rarely needed.
    const both = this.engine.forMany && await this.lookUpBoth(recipient, resources, now);
    for (const [ index, which ] of usableAtMost.entries()) {
      for (const row of both?.[index] ?? await this.lookUp(recipient, resources, now, which)) {
        const grant = toTerms(row);
        if (await isWanted(grant)) {
          return grant;
        }
      }
    }
  }

  private async lookUpBoth(recipient: WebId, resources: string[], now: Date): Promise<TermsRow[][]> {
    return Promise.all(usableAtMost.map(async(which): Promise<TermsRow[]> =>
      this.lookUp(recipient, resources, now, which)));
  }

  private async lookUp(
    recipient: WebId,
    resources: string[],
    now: Date,
    [ controlled, each ]: (typeof usableAtMost)[number],
  ): Promise<TermsRow[]> {
    const most = each * resources.length;
    const rows = await usable.all(this.db, this.engine, recipient, resources, controlled, now.getTime(), most);
    return rows.sort(newestFirst);
  }
}

/** Converts the terms of a stored grant. */
export function toTerms(row: TermsRow): GrantTerms {
  return {
    id: row.id,
    uri: row.uri,
    kind: row.kind,
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

/** Converts the dates of a stored grant. */
export function datesOf(row: Pick<AccessGrantTable, keyof GrantDates>): GrantDates {
  const { issuedAt, expiresAt, revokedAt, invalidAt } = row;
  return {
    issuedAt: toDate(issuedAt),
    expiresAt: toDate(expiresAt),
    revokedAt: toDate(revokedAt),
    invalidAt: toDate(invalidAt),
  };
}

/** Compares grants for lists: newest first, then by id. */
export function newestFirst(left: TermsRow, right: TermsRow): number {
  return right.issuedAt - left.issuedAt || (left.id < right.id ? 1 : -1);
}
