import { sql } from 'kysely';
import { LookUp } from '../database/LookUp';
import type { Engine } from '../database/engine';
import type { NamedQuery } from '../../grants/GrantStore';
import type { WebId } from '../../platform/webId';
import type { Database } from '../schema';
import { suspensions, terms } from './SqlUsableGrants';

/** Columns of a list. */
const listed = [ 'id', 'kind', 'issuedAt', 'expiresAt', 'revokedAt', 'invalidAt', 'document' ] as const;

/** The same but the id, as the database names them. */
export const listedColumns = [ 'kind', 'issued_at', 'expires_at', 'revoked_at', 'invalid_at', 'document' ] as const;

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

/** Terms of a list, by ids. */
export const termsByIds = new LookUp(({ db, engine }, ids: readonly string[]) =>
  db.selectFrom('accessGrants').select(terms).select(suspensions).where(engine.isAnyOf('id', ids)));

/** Rows of a list, by ids. */
export const byIds = new LookUp(({ db, engine }, ids: readonly string[]) =>
  db.selectFrom('accessGrants').select(listed).where(engine.isAnyOf('id', ids)));
