import { dataUserName } from './asked';
import type { Holding } from './holdings';
import { readHoldings } from './holdings';
import type { Copy, Described, Grant, Service, Summary } from './service';
import type { Session } from './session';
import type { Translated, Word, Words } from './words';

/** Resource that somebody was given access to, with what is known of it. */
export interface Sharing {
  grant: Grant;
  /** Absent when the data is not in the vault any more, or cannot be read as its data type. */
  summary?: Summary;
  /** The name that the operator gives to the grantee; its WebID without one. */
  names: Translated[];
  dataType?: Described;
  purpose?: Described;
  copies: Copy[];
}

/**
 * All that the citizen shares or shared, newest first.
 *
 * @throws ServiceProblem
 */
export async function readSharings(service: Service, session: Session): Promise<Sharing[]> {
  const [ vault, grants, copies ] =
    await Promise.all([ service.findVault(session), service.listGrants(session), service.listCopies(session) ]);
  const kinds = vault ? await readHoldings(service, session, vault) : [];
  const holdings = kinds.flatMap(({ described, holdings: found }): (Holding & { dataType: Described })[] =>
    found.map((holding): Holding & { dataType: Described } => ({ ...holding, dataType: described })));
  return Promise.all(grants.map(async(grant): Promise<Sharing> => {
    const holding = holdings.find(({ resource }): boolean => resource.uri === grant.resource);
    const [ purpose ] = grant.purpose;
    return {
      grant,
      summary: holding?.summary,
      names: grant.granteeNames,
      dataType: holding?.dataType,
      purpose: purpose === undefined ? undefined : await service.describe(purpose),
      copies: copies.filter(({ accessGrant, status }): boolean => accessGrant === grant.id && status !== 'DELETED'),
    };
  }));
}

/** Values for the texts about a sharing, in the reader's language. */
export function factsOfSharing({ dataType, grant, names, purpose, summary }: Sharing, words: Words): {
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
  const path = decodeURIComponent(new URL(grant.resource).pathname.split('/').findLast(Boolean) ?? '');
  const label = words.choose(dataType?.labels ?? [])?.value ?? path;
  const named = words.choose(dataType?.phrases ?? []) ?? words.choose(dataType?.labels ?? []);
  const why = words.choose(purpose?.phrases ?? []) ?? words.choose(purpose?.labels ?? []);
  // The moment at which access ends belongs to the day before when that is midnight.
  const end = grant.expiresAt === null ? undefined : new Date(Date.parse(grant.expiresAt) - 1).toISOString();
  return {
    user: dataUserName({ names }, grant.grantee, words),
    what: named?.value ?? path,
    why: why?.value ?? grant.purpose[0] ?? '',
    title: words.choose(summary?.title ?? [])?.value ?? label,
    purposeName: words.choose(purpose?.labels ?? [])?.value ?? why?.value ?? grant.purpose[0] ?? '',
    ...end !== undefined && { until: words.day(end) },
  };
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
  const isShared = left.some((each): boolean => each.grant.resource === stopped.grant.resource);
  const isAlike = left.some((each): boolean => factsOfSharing(each, words).what === what);
  return {
    word: isShared ? 'overview.stoppedOne' : 'overview.stopped',
    values: { user: name, what: isAlike ? title : what },
  };
}
