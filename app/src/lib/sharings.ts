import { nameOf } from './activities';
import { addressText, dataUserName } from './asked';
import type { Holding } from './holdings';
import { readHoldings } from './holdings';
import { describeModes } from './modes';
import type { Read } from './reads';
import { readsUnder } from './reads';
import type { Copy, Described, Grant, Service, Summary } from './service';
import type { Session } from './session';
import type { Translated } from './terms';
import type { Word, Words } from './words';

/** Maximum number of things named in a sentence; further ones are counted. */
const maxNamed = 4;

/** A resource that somebody has access to. */
export interface SharedItem {
  uri: string;
  /** Absent when the data is no longer in the vault, or does not match its data type. */
  summary?: Summary;
  dataType?: Described;
}

/** A grant that the citizen gave, with descriptions of its parts. */
export interface Sharing {
  grant: Grant;
  /** All resources of the grant, at least one. */
  items: SharedItem[];
  /** Names of the grantee; the WebID when the operator gives none. */
  names: Translated[];
  purpose?: Described;
  copies: Copy[];
  /** Reads under the grant, newest first; absent when the activity is too long to read at once. */
  reads?: Read[];
  /** ISO 8601 moment at which the source was found to no longer confirm the data. */
  invalidSince?: string;
}

/**
 * Reads everything that the citizen shares or has shared, newest first.
 *
 * @throws ServiceProblem
 */
export async function readSharings(service: Service, session: Session): Promise<Sharing[]> {
  const [ vault, grants, copies, history ] = await Promise.all([
    service.findVault(session),
    service.listGrants(session),
    service.listCopies(session),
    service.findHistory(session, true),
  ]);
  const kinds = vault ? await readHoldings(service, session, vault) : [];
  const holdings = new Map(kinds.flatMap(({ described, holdings: found }): [string, HeldItem][] =>
    found.map((holding): [string, HeldItem] => [ holding.resource.uri, { ...holding, dataType: described }])));
  return Promise.all(grants.map(async(grant): Promise<Sharing> => {
    const [ purpose ] = grant.purpose;
    // Grants of earlier versions may name a resource twice.
    const uris = [ ...new Set(grant.resources.map(({ uri }): string => uri)) ];
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

/** Finds the WebIDs of data users who have not deleted a copy that is due for deletion. */
export function findLate(sharings: readonly Sharing[]): Set<string> {
  return new Set(sharings
    .filter(({ copies }): boolean => copies.some(({ status }): boolean => status === 'DELETION_DUE'))
    .map(({ grant }): string => grant.grantee));
}

/** Checks whether a sharing allows reading now: it does not while the operator has suspended the agreement. */
export function isReadable({ grant }: Sharing): boolean {
  return grant.status === 'ACTIVE' && grant.suspendedAt === undefined;
}

/** Describes how a sharing ended, and on which day if that is known; nothing while it gives access. */
export function endOf({ grant }: Sharing, words: Words): { word: Word; date?: Date } | undefined {
  if (grant.status === 'REVOKED') {
    return { word: 'overview.endedByYou', date: grant.revokedAt ? words.day(grant.revokedAt) : undefined };
  }
  if (grant.status === 'EXPIRED') {
    return { word: 'overview.endedByItself', date: grant.expiresAt ? words.lastDay(grant.expiresAt) : undefined };
  }
  return grant.status === 'INVALID' ? { word: 'overview.endedVoid' } : undefined;
}

/** Returns the values for the texts about a sharing, in the reader's language. */
export function factsOfSharing({ grant, items, names, purpose }: Sharing, words: Words): {
  user: string;
  what: string;
  /** Rights of the grantee, for a sentence. */
  can: string;
  /** Purpose as it fits into a sentence, if it does. */
  why?: string;
  /** Title of the data, for lists. */
  title: string;
  /** Name of the purpose, for lists. */
  purposeName: string;
  /** Last day of access; absent when it has no end. */
  until?: Date;
} {
  const why = words.choose(purpose?.phrases ?? [])?.value;
  return {
    user: dataUserName({ names }, grant.grantee, words),
    what: few(items.map(({ dataType, uri }): string =>
      (words.choose(dataType?.phrases ?? []) ?? words.choose(dataType?.labels ?? []))?.value ?? nameOf(uri)), words),
    can: describeModes(grant.mode, words),
    why,
    title: few(items.map((item): string => titleOf(item, words)), words),
    purposeName: words.choose(purpose?.labels ?? [])?.value ?? why ?? addressText(grant.purpose[0] ?? ''),
    ...grant.expiresAt !== null && { until: words.lastDay(grant.expiresAt) },
  };
}

/** Returns the title of a shared resource: its file name when nothing else is known. */
function titleOf({ dataType, summary, uri }: SharedItem, words: Words): string {
  return (words.choose(summary?.title ?? []) ?? words.choose(dataType?.labels ?? []))?.value ?? nameOf(uri);
}

/** Lists names without duplicates: when there are many, the first ones and the number of others. */
function few(all: readonly string[], words: Words): string {
  const items = [ ...new Set(all) ];
  return items.length > maxNamed ?
      words.text('value.andMore', { what: items.slice(0, maxNamed - 1).join(', '), n: items.length - maxNamed + 1 }) :
      words.list(items);
}

/**
 * Returns the text to show after sharing was stopped; nothing when it was not, because anybody can open this address.
 *
 * @param sharings - Current sharings.
 * @param stopped - The stopped sharings.
 * @param stopped.grant - URI of the grant, when one was stopped.
 * @param stopped.user - WebID of the grantee, when all of its grants were stopped.
 * @param words - Texts in the reader's language.
 */
export function describeStopped(
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
