import { nameOf } from './activities';
import { dataUserName } from './asked';
import type { Holding } from './holdings';
import { readHoldings } from './holdings';
import type { Read } from './reads';
import { readsUnder } from './reads';
import type { Copy, Described, Grant, Service, Summary } from './service';
import type { Session } from './session';
import type { Translated } from './terms';
import type { Word, Words } from './words';

/** Things that are named in a sentence; more are counted. */
const mostNamed = 4;

/** Something that somebody was given access to. */
export interface SharedItem {
  uri: string;
  /** Absent when the data is not in the vault any more, or cannot be read as its data type. */
  summary?: Summary;
  dataType?: Described;
}

/** Grant that a citizen gave, with what is known of it. */
export interface Sharing {
  grant: Grant;
  /** All that it is on: one or more. */
  items: SharedItem[];
  /** The name that the operator gives to the grantee; its WebID without one. */
  names: Translated[];
  purpose?: Described;
  copies: Copy[];
  /** Readings under the grant, newest first; absent when the history is too long to be read at once. */
  reads?: Read[];
  /** ISO 8601 moment at which the source was found not to stand by the data any more. */
  invalidSince?: string;
}

/**
 * All that the citizen shares or shared, newest first.
 *
 * @throws ServiceProblem
 */
export async function readSharings(service: Service, session: Session): Promise<Sharing[]> {
  const [ vault, grants, copies, history ] = await Promise.all([
    service.findVault(session),
    service.listGrants(session),
    service.listCopies(session),
    service.findHistory(session),
  ]);
  const kinds = vault ? await readHoldings(service, session, vault) : [];
  const holdings = new Map(kinds.flatMap(({ described, holdings: found }): [string, HeldItem][] =>
    found.map((holding): [string, HeldItem] => [ holding.resource.uri, { ...holding, dataType: described }])));
  return Promise.all(grants.map(async(grant): Promise<Sharing> => {
    const [ purpose ] = grant.purpose;
    const uris = grant.resources.map(({ uri }): string => uri);
    return {
      grant,
      items: uris.map((uri): SharedItem => ({ uri, ...holdings.get(uri) })),
      invalidSince: uris.map((uri): string | undefined => holdings.get(uri)?.resource.originInvalidSince).find(Boolean),
      names: grant.granteeNames,
      purpose: purpose === undefined ? undefined : await service.describe(purpose),
      reads: history && readsUnder(history, grant.id),
      copies: copies.filter(({ accessGrant, status }): boolean => accessGrant === grant.id && status !== 'DELETED'),
    };
  }));
}

type HeldItem = Holding & { dataType: Described };

/** WebIDs of those who have not deleted a copy whose deletion is due. */
export function findLate(sharings: readonly Sharing[]): Set<string> {
  return new Set(sharings
    .filter(({ copies }): boolean => copies.some(({ status }): boolean => status === 'DELETION_DUE'))
    .map(({ grant }): string => grant.grantee));
}

/** Checks whether what is shared can be read now: it cannot while the operator has suspended the agreement. */
export function isReadable({ grant }: Sharing): boolean {
  return grant.status === 'ACTIVE' && grant.suspendedAt === undefined;
}

/** How a sharing ended, and on which day as far as that is known; nothing while it gives access. */
export function endOf({ grant }: Sharing, words: Words): { word: Word; date?: Date } | undefined {
  if (grant.status === 'REVOKED') {
    return { word: 'overview.endedByYou', date: grant.revokedAt ? words.day(grant.revokedAt) : undefined };
  }
  if (grant.status === 'EXPIRED') {
    return { word: 'overview.endedByItself', date: grant.expiresAt ? words.lastDay(grant.expiresAt) : undefined };
  }
  return grant.status === 'INVALID' ? { word: 'overview.endedVoid' } : undefined;
}

/** Values for the texts about a sharing, in the reader's language. */
export function factsOfSharing({ grant, items, names, purpose }: Sharing, words: Words): {
  user: string;
  what: string;
  why: string;
  /** Of the data, for lists. */
  title: string;
  /** Name of the purpose, for lists. */
  purposeName: string;
  /** Last day of access; absent when it has no end. */
  until?: Date;
} {
  const why = words.choose(purpose?.phrases ?? []) ?? words.choose(purpose?.labels ?? []);
  return {
    user: dataUserName({ names }, grant.grantee, words),
    what: few(items.map(({ dataType, uri }): string =>
      (words.choose(dataType?.phrases ?? []) ?? words.choose(dataType?.labels ?? []))?.value ?? nameOf(uri)), words),
    why: why?.value ?? grant.purpose[0] ?? '',
    title: few(items.map((item): string => titleOf(item, words)), words),
    purposeName: words.choose(purpose?.labels ?? [])?.value ?? why?.value ?? grant.purpose[0] ?? '',
    ...grant.expiresAt !== null && { until: words.lastDay(grant.expiresAt) },
  };
}

/** Title of something that is shared: the name of its file when nothing else is known. */
function titleOf({ dataType, summary, uri }: SharedItem, words: Words): string {
  return (words.choose(summary?.title ?? []) ?? words.choose(dataType?.labels ?? []))?.value ?? nameOf(uri);
}

/** Names in a list, each once: of many the first ones, and how many there are more. */
function few(all: readonly string[], words: Words): string {
  const items = [ ...new Set(all) ];
  return items.length > mostNamed ?
      words.say('value.andMore', { what: items.slice(0, mostNamed - 1).join(', '), n: items.length - mostNamed + 1 }) :
      words.list(items);
}

/**
 * The text that is said after stopping; nothing while it is not so, as an address can be opened by anybody.
 *
 * @param sharings - As they are now.
 * @param stopped - What was stopped.
 * @param stopped.grant - URI of the one grant.
 * @param stopped.user - WebID of whom all grants were stopped.
 * @param words - Texts in the reader's language.
 */
export function sayStopped(
  sharings: readonly Sharing[],
  { grant, user }: { grant?: string; user?: string },
  words: Words,
): { word: Word; values: { user: string; what: string }} | undefined {
  const stopped = sharings.find((each): boolean =>
    grant === undefined ? each.grant.grantee === user : each.grant.id === grant);
  if (!stopped) {
    return;
  }
  const left = sharings.filter((each): boolean =>
    each.grant.status === 'ACTIVE' && each.grant.grantee === stopped.grant.grantee);
  const { title, user: name, what } = factsOfSharing(stopped, words);
  if (grant === undefined) {
    return left.length > 0 ? undefined : { word: 'overview.stoppedAll', values: { user: name, what }};
  }
  if (stopped.grant.status === 'ACTIVE') {
    return;
  }
  const uris = new Set(stopped.items.map(({ uri }): string => uri));
  const isShared = left.some(({ items }): boolean => items.some(({ uri }): boolean => uris.has(uri)));
  const isAlike = left.some((each): boolean => factsOfSharing(each, words).what === what);
  return {
    word: isShared ? 'overview.stoppedOne' : 'overview.stopped',
    values: { user: name, what: isAlike ? title : what },
  };
}
