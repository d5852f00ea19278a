import { sql } from 'kysely';
import type { RawBuilder, SqlBool } from 'kysely';
import type { GrantKind, GrantStatus } from '../../grants/AccessGrant';
import type { GrantFilter, ListedStatus, PageRequest } from '../../grants/GrantStore';
import { ParameterInvalid } from '../../problems';
import type { RowPosition } from '../cursors';
import type { Database, GrantState } from '../schema';
import { isList, isWholeNumber } from '../../platform/lists';

/** Place of a page: at one end of the list, or beside a row of it. */
type PagePlace = { from: 'first' | 'last' } | { from: 'after' | 'before'; row: RowPosition };

/** A page of ids, and what leads to the pages around it. */
export interface IdPage {
  ids: string[];
  prev?: string;
  next?: string;
  last?: string;
}

type Condition = RawBuilder<SqlBool>;

/** One walk through one index: the rows that meet the conditions, in the order of time and id. */
interface Walk {
  table: string;
  time: string;
  id: string;
  where: Condition[];
}

/** A kind of credential in one state, and whether it must have run out, or must not. */
interface Combination {
  kind: GrantKind;
  state: GrantState;
  expired?: boolean;
}

/** A filter, and what is known of the records. */
export interface SettledFilter extends GrantFilter {
  /** Of those that have run out, none is open any more. */
  isSettled: boolean;
}

/** Rows that grants are looked up by, a row for each value. */
interface EntryTable {
  table: string;
  by: 'resource' | 'purpose';
}

/** Rows of the value that a filter names. */
interface NamedEntry extends EntryTable {
  value: string;
}

const roles = [ 'subject', 'recipient' ] as const;
const entries: readonly EntryTable[] = [
  { table: 'grantResources', by: 'resource' },
  { table: 'grantPurposes', by: 'purpose' },
];
const statesOf: Record<GrantKind, GrantState[]> = {
  request: [ 'open', 'expired', 'granted', 'denied', 'revoked' ],
  grant: [ 'open', 'expired', 'revoked', 'lapsed', 'invalid' ],
  denial: [ 'open', 'expired', 'revoked' ],
};
const answerKinds: GrantKind[] = [ 'grant', 'denial' ];
const allKinds: GrantKind[] = [ 'request', ...answerKinds ];
const everything = allKinds.flatMap((kind): Combination[] =>
  statesOf[kind].map((state): Combination => ({ kind, state })));

/** States of a grant that was revoked or lost its meaning. */
const ended = ([ 'revoked', 'lapsed', 'invalid' ] as const).map((state): { state: GrantState } => ({ state }));

/** Kinds of credentials that can have a status, and the states they then are in. */
const statuses: Record<GrantStatus | ListedStatus, { kinds: GrantKind[]; states: Omit<Combination, 'kind'>[] }> = {
  Pending: { kinds: [ 'request' ], states: [{ state: 'open', expired: false }]},
  Granted: { kinds: [ 'request' ], states: [{ state: 'granted' }]},
  Denied: { kinds: [ 'request' ], states: [{ state: 'denied' }]},
  Canceled: { kinds: [ 'request' ], states: [{ state: 'revoked' }]},
  Active: { kinds: answerKinds, states: [{ state: 'open', expired: false }]},
  Revoked: { kinds: answerKinds, states: ended },
  Expired: { kinds: allKinds, states: [{ state: 'expired' }, { state: 'open', expired: true }]},
  ACTIVE: { kinds: [ 'grant' ], states: [{ state: 'open', expired: false }]},
  REVOKED: { kinds: [ 'grant' ], states: [{ state: 'revoked' }]},
  EXPIRED: {
    kinds: [ 'grant' ],
    states: [{ state: 'expired' }, { state: 'lapsed' }, { state: 'open', expired: true }],
  },
  INVALID: { kinds: [ 'grant' ], states: [{ state: 'invalid' }]},
};

/**
 * The ids of a page of requests, grants and denials, newest first; by the moment of revocation when that is filtered
 * by.
 *
 * Every walk has its rows in the order of an index and stops when the page is full: one walk for the role of the
 * party, and for the kind and state that were asked for. What they find is merged.
 *
 * @throws ParameterInvalid when the page is none of ours.
 */
export async function listIds(db: Database, filter: SettledFilter, { size, page }: PageRequest): Promise<IdPage> {
  const place = parsePage(page);
  const isBackward = place.from === 'before' || place.from === 'last';
  const found: RowPosition[] = [];
  for (const walk of walksOf(filter)) {
    found.push(...await follow(db, walk, place, size + 1));
  }
  const rows = merge(found, isBackward).slice(0, size);
  const hasMore = found.length > size;
  return toPage(isBackward ? rows.reverse() : rows, {
    hasPrev: isBackward ? hasMore : place.from === 'after',
    hasNext: isBackward ? place.from === 'before' : hasMore,
  });
}

function toPage(rows: RowPosition[], { hasPrev, hasNext }: { hasPrev: boolean; hasNext: boolean }): IdPage {
  return {
    ids: rows.map(({ id }): string => id),
    ...rows.length > 0 && {
      ...hasPrev && { prev: formatPage('before', rows[0]) },
      ...hasNext && { next: formatPage('after', rows.at(-1)) },
      last: formatPage('last'),
    },
  };
}

function merge(rows: RowPosition[], isBackward: boolean): RowPosition[] {
  const sign = isBackward ? 1 : -1;
  return rows.sort((left, right): number => sign * (left.at - right.at || (left.id < right.id ? -1 : 1)));
}

async function follow(db: Database, walk: Walk, place: PagePlace, limit: number): Promise<RowPosition[]> {
  const isBackward = place.from === 'before' || place.from === 'last';
  const [ time, id ] = [ sql.ref(walk.time), sql.ref(walk.id) ];
  const direction = sql.raw(isBackward ? 'asc' : 'desc');
  const beside = 'row' in place ?
      [ sql<SqlBool>`(${time}, ${id}) ${sql.raw(isBackward ? '>' : '<')} (${place.row.at}, ${place.row.id})` ] :
      [];
  const { rows } = await sql<RowPosition>`select ${time} as at, ${id} as id from ${sql.table(walk.table)}
    where ${sql.join([ ...walk.where, ...beside ], sql` and `)}
    order by ${time} ${direction}, ${id} ${direction} limit ${limit} + 0`.execute(db);
  return rows;
}

function walksOf(filter: SettledFilter): Walk[] {
  return roles.flatMap((role): Walk[] => {
    const parties = partiesOf(filter, role);
    if (!parties) {
      return [];
    }
    const combinations = combinationsOf(filter);
    const named = namedBy(filter);
    const isBetween = parties.length > 1;
    if (filter.revokedSince) {
      return [ revokedWalk(filter.revokedSince, filter, parties, combinations, named) ];
    }
    if (filter.contract !== undefined) {
      const rest = named.map(names);
      const ofContract = [ ...parties, is('contractId', filter.contract), ...issued(filter), ...rest ];
      return (combinations ?? everything).map((one): Walk =>
        grantWalk('issuedAt', [ ...ofContract, ...facts(filter, [ one ]) ]));
    }
    // Between the same two parties there are few: the rest is looked up for each.
    if (isBetween && filter.resource === undefined) {
      const rest = named.map(names);
      return [ grantWalk('issuedAt', [ ...parties, ...issued(filter), ...facts(filter, combinations), ...rest ]) ];
    }
    if (named.length > 0) {
      return (combinations ?? everything).map((one): Walk => entryWalk(named, filter, parties, one));
    }
    return (combinations?.map((one): Combination[] => [ one ]) ?? [ undefined ]).map((some): Walk =>
      grantWalk('issuedAt', [ ...parties, ...issued(filter), ...facts(filter, some) ]));
  });
}

/** Conditions on both parties, when the one who asks has this role; nothing when the filter rules the role out. */
function partiesOf({ party, from, to }: GrantFilter, role: typeof roles[number]): Condition[] | undefined {
  const [ own, other ] = role === 'subject' ? [ from, to ] : [ to, from ];
  const otherRole = role === 'subject' ? 'recipient' : 'subject';
  // A grant to oneself is found as given.
  if ((own !== undefined && own !== party) || (role === 'recipient' && other === party)) {
    return undefined;
  }
  if (other !== undefined) {
    return [ is(role, party), is(otherRole, other) ];
  }
  return [ role === 'subject' ? is(role, party) : sql<SqlBool>`recipient = ${party} and subject <> ${party}` ];
}

function grantWalk(time: string, where: Condition[]): Walk {
  return { table: 'accessGrants', time, id: 'id', where };
}

function namedBy(filter: GrantFilter): NamedEntry[] {
  return entries.flatMap((entry): NamedEntry[] => {
    const value = filter[entry.by];
    return value === undefined ? [] : [{ ...entry, value }];
  });
}

function revokedWalk(
  since: Date,
  filter: GrantFilter,
  parties: Condition[],
  combinations: Combination[] | undefined,
  named: NamedEntry[],
): Walk {
  return grantWalk('revokedAt', [
    ...parties,
    sql<SqlBool>`revoked_at >= ${since.getTime()}`,
    ...issued(filter),
    ...facts(filter, combinations),
    ...named.map(names),
  ]);
}

/** Through the rows of one resource or purpose, which have all that matters as well. */
function entryWalk(
  [ entry, ...others ]: NamedEntry[],
  filter: GrantFilter,
  parties: Condition[],
  one: Combination,
): Walk {
  return {
    table: entry.table,
    time: 'issuedAt',
    id: 'grantId',
    where: [
      ...parties,
      is(entry.by, entry.value),
      ...issued(filter),
      ...facts(filter, [ one ]),
      ...others.map(({ table, by, value }): Condition => sql<SqlBool>`exists (select 1 from ${sql.table(table)} as other
        where other.grant_id = ${sql.table(entry.table)}.grant_id and ${is(by, value)})`),
    ],
  };
}

function names({ table, by, value }: NamedEntry): Condition {
  return sql<SqlBool>`exists (select 1 from ${sql.table(table)} where grant_id = id and ${is(by, value)})`;
}

function issued({ issuedSince }: GrantFilter): Condition[] {
  return issuedSince ? [ sql<SqlBool>`issued_at >= ${issuedSince.getTime()}` ] : [];
}

/** Kind, state, end. */
function facts({ now }: GrantFilter, combinations: Combination[] | undefined): Condition[] {
  return combinations ? [ anyOf(combinations.map((one): Condition => isOf(one, now))) ] : [];
}

function isOf({ kind, state, expired }: Combination, now: Date): Condition {
  const end = now.getTime();
  return sql.join<SqlBool>([
    is('kind', kind),
    is('state', state),
    ...expired === true ? [ sql<SqlBool>`expires_at <= ${end}` ] : [],
    ...expired === false ? [ sql<SqlBool>`(expires_at is null or expires_at > ${end})` ] : [],
  ], sql` and `);
}

function anyOf(each: Condition[]): Condition {
  return each.length === 1 ? each[0] : sql<SqlBool>`(${each.length > 0 ? sql.join(each, sql` or `) : sql`1 = 0`})`;
}

/** Lists the kinds and states that are asked for; `undefined`: all. */
function combinationsOf({ kinds, status, isSettled }: SettledFilter): Combination[] | undefined {
  if (!kinds && !status) {
    return undefined;
  }
  const possible = status ? statuses[status].kinds : allKinds;
  return possible.filter((kind): boolean => !kinds || kinds.includes(kind)).flatMap((kind): Combination[] =>
    (status ? statuses[status].states : statesOf[kind].map((state): Omit<Combination, 'kind'> => ({ state })))
      .filter(({ expired }): boolean => expired !== true || !isSettled)
      .map((one): Combination => ({ ...one, kind })));
}

function is(column: string, value: string): Condition {
  return sql<SqlBool>`${sql.ref(column)} = ${value}`;
}

function formatPage(from: 'after' | 'before' | 'last', row?: RowPosition): string {
  return Buffer.from(JSON.stringify(row ? [ from, row.at, row.id ] : [ from ])).toString('base64url');
}

function parsePage(page: string | undefined): PagePlace {
  if (page === undefined) {
    return { from: 'first' };
  }
  try {
    const value: unknown = JSON.parse(Buffer.from(page, 'base64url').toString());
    const [ from, at, id ] = isList(value) ? value : [];
    if (from === 'last') {
      return { from };
    }
    if ((from === 'after' || from === 'before') && isWholeNumber(at) && typeof id === 'string' &&
      !id.includes('\0')) {
      return { from, row: { at, id }};
    }
  } catch {
    // Not JSON: answered below.
  }
  throw new ParameterInvalid('page or cursor is not one that this operation gave');
}
