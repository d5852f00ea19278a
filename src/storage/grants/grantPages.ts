import type { GrantKind, GrantStatus } from '../../grants/AccessGrant';
import type { GrantFilter, ListedStatus, PageRequest } from '../../grants/GrantStore';
import { ParameterInvalid } from '../../problems';
import { findPosition } from '../cursors';
import type { RowPosition } from '../cursors';
import type { Engine } from '../database/engine';
import { readRows } from '../database/readRows';
import type { Database, GrantState } from '../schema';
import { parseList } from '../../platform/parseJson';

/** Place of a page: at one end of the list, or next to one of its rows. */
type PagePlace = { from: 'first' | 'last' } | { from: 'after' | 'before'; row: RowPosition };

/** Ids of a page, and cursors of the pages around it. */
export interface IdPage<TRow = unknown> {
  ids: string[];
  /** The rows of the page, if they were read at once. */
  rows?: TRow[];
  prev?: string;
  next?: string;
  last?: string;
}

/** A condition as text, made in a fraction of the time of the query builder, and the values of its placeholders. */
interface Condition {
  text: string;
  values: readonly (number | string)[];
}

/** A walk through one index: the rows that meet the conditions, in order of time and id. */
interface Walk {
  table: string;
  time: string;
  id: string;
  where: Condition[];
}

/** A kind of credential in one state; `expired` requires that it has expired, or has not. */
interface Combination {
  kind: GrantKind;
  state: GrantState;
  expired?: boolean;
}

/** A filter, and whether the states on record are up to date. */
export interface SettledFilter extends GrantFilter {
  /** True when no grant that has expired is still recorded as open. */
  isSettled: boolean;
}

/** A table by which grants are looked up, with a row for each value. */
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
  { table: 'grant_resources', by: 'resource' },
  { table: 'grant_purposes', by: 'purpose' },
];
const statesOf: Record<GrantKind, GrantState[]> = {
  request: [ 'open', 'expired', 'granted', 'denied', 'revoked' ],
  grant: [ 'open', 'expired', 'revoked', 'lapsed', 'invalid' ],
  denial: [ 'open', 'expired', 'revoked' ],
};
/** Most walks that read whole rows and not only ids. */
const maxWholeWalks = 4;
const answerKinds: GrantKind[] = [ 'grant', 'denial' ];
const allKinds: GrantKind[] = [ 'request', ...answerKinds ];
const everything = allKinds.flatMap((kind): Combination[] =>
  statesOf[kind].map((state): Combination => ({ kind, state })));

/** States of a grant that was revoked or became invalid. */
const ended = ([ 'revoked', 'lapsed', 'invalid' ] as const).map((state): { state: GrantState } => ({ state }));

/** Kinds of credentials that can have a status, and the states that mean it. */
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
 * Lists the ids of a page of requests, grants and denials, newest first; sorted by time of revocation when the filter
 * is on that.
 *
 * Each walk reads rows in the order of an index and stops when the page is full. There is a walk for each role of the
 * party, kind and state in the filter; their results are merged.
 *
 * @param on - Where to read.
 * @param on.db - The database, or a transaction in it.
 * @param on.engine - Its kind.
 * @param filter - Which of them.
 * @param request - Which page.
 * @param request.size - Most ids.
 * @param request.page - As an earlier page gave it.
 * @param columns - Columns of grants to read at once, in snake case, where that takes less than to look them up by id.
 *
 * @throws ParameterInvalid when this service did not make the cursor.
 */
export async function listIds<TRow>(
  on: { db: Database; engine: Engine },
  filter: SettledFilter,
  { size, page }: PageRequest,
  columns: readonly string[] = [],
): Promise<IdPage<TRow>> {
  const place = parsePage(page);
  const isBackward = place.from === 'before' || place.from === 'last';
  const walks = walksOf(filter);
  const isWhole = columns.length > 0 && areForWholeRows(walks);
  const found: (RowPosition & TRow)[] = [];
  for (const walk of walks) {
    found.push(...await follow<TRow>(on, walk, place, { limit: size + 1, columns: isWhole ? columns : []}));
  }
  const rows = merge(found, isBackward).slice(0, size);
  const hasMore = found.length > size;
  const ordered = isBackward ? rows.reverse() : rows;
  return {
    ...isWhole && { rows: ordered },
    ...toPage(ordered, {
      hasPrev: isBackward ? hasMore : place.from === 'after',
      hasNext: isBackward ? place.from === 'before' : hasMore,
    }),
  };
}

/** Each walk may read a page of rows that others push out. */
function areForWholeRows(walks: Walk[]): boolean {
  return walks.length <= maxWholeWalks && walks.every(({ table }): boolean => table === 'access_grants');
}

function toPage(rows: RowPosition[], { hasPrev, hasNext }: { hasPrev: boolean; hasNext: boolean }): IdPage<never> {
  return {
    ids: rows.map(({ id }): string => id),
    ...rows.length > 0 && {
      ...hasPrev && { prev: formatPage('before', rows[0]) },
      ...hasNext && { next: formatPage('after', rows.at(-1)) },
      last: formatPage('last'),
    },
  };
}

function merge<TRow extends RowPosition>(rows: TRow[], isBackward: boolean): TRow[] {
  const sign = isBackward ? 1 : -1;
  return rows.sort((left, right): number => sign * (left.at - right.at || (left.id < right.id ? -1 : 1)));
}

async function follow<TRow>(
  on: { db: Database; engine: Engine },
  { id, table, time, where }: Walk,
  place: PagePlace,
  { columns, limit }: { columns: readonly string[]; limit: number },
): Promise<(RowPosition & TRow)[]> {
  const isBackward = place.from === 'before' || place.from === 'last';
  const direction = isBackward ? 'asc' : 'desc';
  const beside = 'row' in place ?
      [ condition(`(${time}, ${id}) ${isBackward ? '>' : '<'} (?, ?)`, place.row.at, place.row.id) ] :
      [];
  const { text, values } = joined([ ...where, ...beside ], ' and ');
  const selected = [ `${time} as at`, `${id} as id`, ...columns ].join(', ');
  return readRows<RowPosition & TRow>(on, `select ${selected} from ${table} where ${text}
    order by ${time} ${direction}, ${id} ${direction} limit ? + 0`, [ ...values, limit ]);
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
      const ofContract = [ ...parties, is('contract_id', filter.contract), ...issued(filter), ...rest ];
      return (combinations ?? everything).map((one): Walk =>
        grantWalk('issued_at', [ ...ofContract, ...facts(filter, [ one ]) ]));
    }
    // Two parties have few grants in common: the other conditions are checked for each.
    if (isBetween && filter.resource === undefined) {
      const rest = named.map(names);
      return [ grantWalk('issued_at', [ ...parties, ...issued(filter), ...facts(filter, combinations), ...rest ]) ];
    }
    if (named.length > 0) {
      return (combinations ?? everything).map((one): Walk => entryWalk(named, filter, parties, one));
    }
    return (combinations?.map((one): Combination[] => [ one ]) ?? [ undefined ]).map((some): Walk =>
      grantWalk('issued_at', [ ...parties, ...issued(filter), ...facts(filter, some) ]));
  });
}

/** Returns the conditions on both parties when the caller has this role; nothing when the filter excludes the role. */
function partiesOf({ party, from, to }: GrantFilter, role: typeof roles[number]): Condition[] | undefined {
  const [ own, other ] = role === 'subject' ? [ from, to ] : [ to, from ];
  const otherRole = role === 'subject' ? 'recipient' : 'subject';
  // A grant to oneself is listed as given.
  if ((own !== undefined && own !== party) || (role === 'recipient' && other === party)) {
    return undefined;
  }
  if (other !== undefined) {
    return [ is(role, party), is(otherRole, other) ];
  }
  return [ role === 'subject' ? is(role, party) : condition('recipient = ? and subject <> ?', party, party) ];
}

function grantWalk(time: string, where: Condition[]): Walk {
  return { table: 'access_grants', time, id: 'id', where };
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
  return grantWalk('revoked_at', [
    ...parties,
    condition('revoked_at >= ?', since.getTime()),
    ...issued(filter),
    ...facts(filter, combinations),
    ...named.map(names),
  ]);
}

/** Walks through the rows of one resource or purpose, which have all columns of the conditions. */
function entryWalk(
  [ entry, ...others ]: NamedEntry[],
  filter: GrantFilter,
  parties: Condition[],
  one: Combination,
): Walk {
  return {
    table: entry.table,
    time: 'issued_at',
    id: 'grant_id',
    where: [
      ...parties,
      is(entry.by, entry.value),
      ...issued(filter),
      ...facts(filter, [ one ]),
      ...others.map(({ table, by, value }): Condition => condition(`exists (select 1 from ${table} as other
        where other.grant_id = ${entry.table}.grant_id and ${by} = ?)`, value)),
    ],
  };
}

function names({ table, by, value }: NamedEntry): Condition {
  return condition(`exists (select 1 from ${table} where grant_id = id and ${by} = ?)`, value);
}

function issued({ issuedSince }: GrantFilter): Condition[] {
  return issuedSince ? [ condition('issued_at >= ?', issuedSince.getTime()) ] : [];
}

/** Returns the condition on kind, state and expiry. */
function facts({ now }: GrantFilter, combinations: Combination[] | undefined): Condition[] {
  return combinations ? [ anyOf(combinations.map((one): Condition => isOf(one, now))) ] : [];
}

function isOf({ kind, state, expired }: Combination, now: Date): Condition {
  const end = now.getTime();
  return joined([
    is('kind', kind),
    is('state', state),
    ...expired === true ? [ condition('expires_at <= ?', end) ] : [],
    ...expired === false ? [ condition('(expires_at is null or expires_at > ?)', end) ] : [],
  ], ' and ');
}

function anyOf(each: Condition[]): Condition {
  if (each.length === 0) {
    return condition('1 = 0');
  }
  const { text, values } = joined(each, ' or ');
  return condition(each.length === 1 ? text : `(${text})`, ...values);
}

/** Lists the kinds and states that the filter admits; `undefined` for all. */
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
  return condition(`${column} = ?`, value);
}

function condition(text: string, ...values: Condition['values']): Condition {
  return { text, values };
}

function joined(each: Condition[], separator: string): Condition {
  return {
    text: each.map(({ text }): string => text).join(separator),
    values: each.flatMap(({ values }): Condition['values'] => values),
  };
}

function formatPage(from: 'after' | 'before' | 'last', row?: RowPosition): string {
  return Buffer.from(JSON.stringify(row ? [ from, row.at, row.id ] : [ from ])).toString('base64url');
}

function parsePage(page: string | undefined): PagePlace {
  if (page === undefined) {
    return { from: 'first' };
  }
  const [ from, at, id ] = parseList(Buffer.from(page, 'base64url').toString());
  if (from === 'last') {
    return { from };
  }
  const row = findPosition(at, id);
  if (row && (from === 'after' || from === 'before')) {
    return { from, row };
  }
  throw new ParameterInvalid('page or cursor was not given by this operation');
}
