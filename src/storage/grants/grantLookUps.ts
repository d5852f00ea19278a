import { sql } from 'kysely';
import type { SqlBool } from 'kysely';
import { LookUp } from '../database/LookUp';
import type { Engine } from '../database/engine';
import type { NamedQuery } from '../../grants/GrantStore';
import type { WebId } from '../../platform/webId';
import type { Database } from '../schema';
import { suspensions, terms } from './SqlUsableGrants';

/** Columns of a list. */
const listed = [ 'id', 'kind', 'issuedAt', 'expiresAt', 'revokedAt', 'invalidAt', 'document' ] as const;

/** The same but the id, as the database names them. */
export const listedColumns = listed.filter((name): boolean => name !== 'id')
  .map((name): string => name.replaceAll(/[A-Z]/gu, (letter): string => `_${letter.toLowerCase()}`));

/** Finds a grant with its credential by id. */
export const byId = new LookUp(({ db }, id: string) =>
  db.selectFrom('accessGrants').selectAll().select(suspensions).where('id', '=', id));

/**
 * Maximum grants in a list for each of its resources: those given by controllers (1) come before those stated by others
 * (0), of which there may be any number.
 */
export const listedAtMost = [[ 1, 100 ], [ 0, 20 ]] as const;

/** Maximum open grants by one subject in a list. */
export const openAtMost = 1000;

/** Finds grants on any of these resources, whatever their status. */
export const onResources = new LookUp((
  { db, engine },
  resources: readonly string[],
  controlled: number,
  most: number,
) => grantsOn({ db, engine }, resources, controlled).limit(most));

/** Finds grants on any of these resources to one recipient. */
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

/** Finds one open grant on any of these resources. */
export const anyOpenOn = new LookUp(({ db, engine }, resources: readonly string[], now: number) =>
  openOn({ db, engine }, resources, now).select('grantId').limit(sql.lit(1)));

/** Finds open grants by one subject on any of these resources, newest first. */
export const openOnBy = new LookUp((
  { db, engine },
  resources: readonly string[],
  now: number,
  subject: WebId,
  most: number,
) => openOn({ db, engine }, resources, now)
  .innerJoin('accessGrants', 'id', 'grantId')
  .select(terms).select(suspensions)
  .where('grantResources.subject', '=', subject)
  .orderBy('grantResources.issuedAt', 'desc')
  .limit(most));

// eslint-disable-next-line @typescript-eslint/explicit-function-return-type -- a query builder
function openOn({ db, engine }: { db: Database; engine: Engine }, resources: readonly string[], now: number) {
  return db.selectFrom('grantResources')
    .where('grantResources.kind', '=', sql.lit('grant'))
    .where('grantResources.state', '=', sql.lit('open'))
    .where(engine.isAnyOf('resource', resources))
    .where(sql<SqlBool>`(grant_resources.expires_at is null or grant_resources.expires_at > ${now})`);
}

/**
 * Selects the resources of a pod that one subject's grants name, or that open grants to one recipient name, with who
 * controlled them: part of one index. Shared data is left out.
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
    // `0` is the character after the slash.
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

/** Finds terms by id. */
export const termsById = new LookUp(({ db }, id: string) =>
  db.selectFrom('accessGrants').select(terms).select(suspensions).where('id', '=', id), { decides: true });

/** Finds the terms for a list, by ids. */
export const termsByIds = new LookUp(({ db, engine }, ids: readonly string[]) =>
  db.selectFrom('accessGrants').select(terms).select(suspensions).where(engine.isAnyOf('id', ids)));

/** Finds the rows of a list, by ids. */
export const byIds = new LookUp(({ db, engine }, ids: readonly string[]) =>
  db.selectFrom('accessGrants').select(listed).where(engine.isAnyOf('id', ids)));
