import { sql } from 'kysely';
import type { SqlBool } from 'kysely';
import { LookUp } from '../database/LookUp';
import type { Engine } from '../database/engine';
import type { NamedQuery } from '../../grants/GrantStore';
import type { AccessGrantTable, Database, Time } from '../schema';
import type { WebId } from '../../platform/webId';

/** Columns of the terms: the credential itself is longer than all of them. */
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

/** Columns of a list. */
const listed = [ 'id', 'kind', 'issuedAt', 'expiresAt', 'revokedAt', 'invalidAt', 'document' ] as const;

/**
 * Beside a grant: since when its recipient and its contract are suspended.
 *
 * Each is a look-up by key that finds nothing as a rule; one condition for both would take ten times as long.
 */
export const suspensions = [
  sql<Time | null>`(select suspended_at from suspensions where name = access_grants.recipient)`
    .as('recipientSuspendedAt'),
  sql<Time | null>`(select suspended_at from suspensions where name = access_grants.contract_id)`
    .as('contractSuspendedAt'),
] as const;

/** Whole grants by id. */
export const byId = new LookUp(({ db }, id: string) =>
  db.selectFrom('accessGrants').selectAll().select(suspensions).where('id', '=', id));

/**
 * Most grants that a list has for each of its resources: those that controllers gave (1) before those that others
 * stated (0), of whom there may be any number.
 */
export const listedAtMost = [[ 1, 100 ], [ 0, 20 ]] as const;

/** Grants on any of these resources, whatever their status. */
export const onResources = new LookUp((
  { db, engine },
  resources: readonly string[],
  controlled: number,
  most: number,
) => grantsOn({ db, engine }, resources, controlled).limit(most));

/** The same of one recipient. */
export const onResourcesTo = new LookUp((
  { db, engine },
  resources: readonly string[],
  controlled: number,
  recipient: WebId,
  most: number,
) => grantsOn({ db, engine }, resources, controlled).where('grantResources.recipient', '=', recipient).limit(most));

// eslint-disable-next-line @typescript-eslint/explicit-function-return-type -- a query builder
function grantsOn({ db, engine }: { db: Database; engine: Engine }, resources: readonly string[], controlled: number) {
  return db.selectFrom('grantResources')
    .innerJoin('accessGrants', 'id', 'grantId')
    .select(terms).select(suspensions)
    .where('grantResources.kind', '=', sql.lit('grant'))
    .where(engine.isAnyOf('resource', resources))
    .where('controlled', '=', controlled);
}

/**
 * The resources in a pod that grants of one subject name, or open grants to one recipient by who controlled them:
 * part of one index. Shared data is left out.
 */
// eslint-disable-next-line @typescript-eslint/explicit-function-return-type -- a query builder
export function namedIn(
  db: Database,
  party: { subject: WebId } | { recipient: WebId },
  { podUrl, after, limit }: Pick<NamedQuery, 'after' | 'limit' | 'podUrl'>,
) {
  const named = db.selectFrom('grantResources').select('resource').distinct()
    .where('kind', '=', sql.lit('grant'))
    .where('resource', '>=', podUrl)
    // The character after the slash.
    .where('resource', '<', `${podUrl.slice(0, -1)}0`)
    .where(eb => eb.not(eb.exists(
      eb.selectFrom('shares').select('id').whereRef('shares.resource', '=', 'grantResources.resource'),
    )))
    .orderBy('resource')
    .limit(limit);
  const later = after === undefined ? named : named.where('resource', '>', after);
  return 'subject' in party ?
      later.where('subject', '=', party.subject) :
      later.where('recipient', '=', party.recipient).where('state', '=', sql.lit('open')).where('controlled', '=', 1);
}

/** Terms by id. */
export const termsById = new LookUp(({ db }, id: string) =>
  db.selectFrom('accessGrants').select(terms).select(suspensions).where('id', '=', id), { decides: true });

/** The same, with 1 beside it when the subject owns one of these pods. */
export const presentedById = new LookUp(({ db, engine }, podUrls: readonly string[], id: string) =>
  db.selectFrom('accessGrants').select(terms).select(suspensions)
    .select(eb => eb.selectFrom('podOwners').select(sql<number>`1`.as('owned'))
      .whereRef('webId', '=', 'accessGrants.subject')
      .where(engine.isAnyOf('podUrl', podUrls))
      .limit(sql.lit(1))
      .as('isOwned'))
    .where('id', '=', id), { decides: true });

/** Terms of a list, by ids. */
export const termsByIds = new LookUp(({ db, engine }, ids: readonly string[]) =>
  db.selectFrom('accessGrants').select(terms).select(suspensions).where(engine.isAnyOf('id', ids)));

/** Rows of a list, by ids. */
export const byIds = new LookUp(({ db, engine }, ids: readonly string[]) =>
  db.selectFrom('accessGrants').select(listed).where(engine.isAnyOf('id', ids)));

/**
 * Most grants that a decision on access looks at, for each name that a grant on the resource can have: those that
 * controllers gave (1) before those that others stated (0).
 */
export const usableAtMost = [[ 1, 200 ], [ 0, 20 ]] as const;

/**
 * Grants to a recipient that are open, on any of these resources: those that controllers gave, or those that others
 * stated. Within one index, which has none but these: for both at once, and in order, SQLite takes ten times as long.
 */
export const usable = new LookUp((
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
