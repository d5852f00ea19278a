import type { App } from './app.svelte';
import type { Contract, DataUser, Described, Service } from './service';
import { ServiceProblem } from './service';
import { endOfDuration, formatDuration, lastDay } from './until';
import type { Words } from './words';

/** A question under a contract: who asks for which data, for which purpose, until when. */
export interface Asked {
  contractId: string;
  contract: Contract;
  dataUser?: DataUser;
  purpose: Described;
  dataTypes: Described[];
  /** Last day of access granted today, ISO 8601. */
  until: string;
  /** End of such access by its duration; absent when the contract ends earlier. */
  end?: Date;
}

/** Access shorter than this, in ms, is shown with the time of its end. */
const briefMs = 48 * 60 * 60_000;

/**
 * Reads the question of a contract.
 *
 * @param service - The service.
 * @param contractId - Id of the contract.
 * @param timeZone - Of its dates.
 *
 * @throws ServiceProblem
 */
export async function readAsked(service: Service, contractId: string, timeZone?: string): Promise<Asked> {
  const contract = await service.getContract(contractId);
  const [ dataUser, purpose, ...dataTypes ] = await Promise.all([
    service.findDataUser(contract.forDataUser),
    service.describe(contract.forPurpose),
    ...contract.forDataType.map(async(iri): Promise<Described> => service.describe(iri)),
  ]);
  const now = new Date();
  const [ until, end ] = [ lastDay(contract, now, timeZone), endOfDuration(contract, now, timeZone) ];
  return { contractId, contract, dataUser, purpose, dataTypes, until, end };
}

/** Describes how long access granted now lasts: its duration and last day, with the time if it is short. */
export function formatUntil({ contract, end, until }: Asked, words: Words): string {
  if (!end) {
    return words.text('share.untilText', { until: new Date(`${until}T00:00:00Z`) });
  }
  const duration = formatDuration(contract.accessDuration, words.locale);
  return isBrief(new Date(), end) ?
      words.text('share.untilMoment', { duration, until: end }) :
      words.text('share.untilDuration', { duration, until: words.day(end.toISOString()) });
}

/** Checks whether something is so short that the time of its end matters, and not only the day. */
export function isBrief(start: Date, end: Date): boolean {
  return end.getTime() - start.getTime() < briefMs;
}

/** Arguments of the texts about a question that are names from outside. */
export const names = [ 'app', 'source', 'user', 'webid' ] as const;

/** Returns the values for the texts about a question, in the reader's language. */
export function factsOf({ contract, dataUser, purpose, dataTypes, until }: Asked, words: Words): Facts {
  const what = dataTypes.map(({ phrases, labels }): string =>
    (words.choose(phrases) ?? words.choose(labels))?.value ?? '');
  const hasPhrases = purpose.phrases.length > 0 && dataTypes.every(({ phrases }): boolean => phrases.length > 0);
  return {
    user: dataUserName(dataUser, contract.forDataUser, words),
    what: words.list(what.filter(Boolean)),
    why: words.choose(hasPhrases ? purpose.phrases : purpose.labels)?.value ?? contract.forPurpose,
    until: new Date(`${until}T00:00:00Z`),
    hasPhrases,
  };
}

/**
 * Returns the source of a data type as values of a text. `named` selects another wording for a source without a name.
 */
export function sourceOf(dataType: Described | undefined, words: Words): { source: string; named: 'yes' | 'no' } {
  const name = words.choose(dataType?.source ?? []);
  return { source: name?.value ?? '', named: name ? 'yes' : 'no' };
}

/** See {@link factsOf}. */
export interface Facts {
  user: string;
  what: string;
  why: string;
  until: Date;
  /** True when purpose and data types have a phrase, which fits into a sentence. */
  hasPhrases: boolean;
}

/**
 * Returns the URL that leads back to the data user, if the data user registered it. It is compared as text (OAuth 2.0
 * Security BCP, RFC 9700, section 4.1.3).
 */
export function findReturnUrl(dataUser: DataUser | undefined, redirectUri: string | undefined): URL | undefined {
  if (redirectUri !== undefined && dataUser?.redirectUris.includes(redirectUri)) {
    return new URL(redirectUri);
  }
}

/**
 * Returns the URL that leads back to the data user after the citizen refused.
 *
 * @param dataUser - Data user that asks.
 * @param app - The app, for the parameters of the address.
 */
export function refusedBack(dataUser: DataUser | undefined, app: Pick<App, 'parameter'>): string | undefined {
  const url = findReturnUrl(dataUser, app.parameter('redirect_uri'));
  if (url) {
    const state = app.parameter('state');
    if (state !== undefined) {
      url.searchParams.append('state', state);
    }
    url.searchParams.append('error', 'access_denied');
  }
  return url?.href;
}

/** Reason why nothing can be shared for a question: suspended, not open yet, or over. */
export type Closed = 'suspended' | 'notYet' | 'over';

/**
 * Finds why nothing can be shared under a contract.
 *
 * @param error - Error of listing the data that the contract covers.
 * @param contract - The contract. Its dates are compared with the reader's clock.
 *
 * @throws The error, when it has nothing to do with the contract.
 */
export function closedOf(error: unknown, contract: Contract): Closed {
  const { startDate, endDate } = contract;
  const type = error instanceof ServiceProblem ? error.type : undefined;
  if (type === 'contract-suspended' || type === 'data-user-suspended') {
    return 'suspended';
  }
  if (type === 'contract-not-consumable' && startDate !== undefined && Date.parse(startDate) > Date.now()) {
    return 'notYet';
  }
  if (type === 'contract-not-consumable' && endDate) {
    return 'over';
  }
  throw error;
}

/**
 * Checks for a problem that means that nothing can be shared under a contract now. {@link closedOf} finds the reason.
 */
export function isClosed(error: unknown): boolean {
  return error instanceof ServiceProblem && /^(?:contract|data-user)-(?:suspended|not-consumable)$/u.test(error.type);
}

/** Checks for a problem that leaves the outcome unknown: the request may have been carried out. */
export function isUnsure(error: unknown): boolean {
  return !(error instanceof ServiceProblem) || error.status === 0 || error.status >= 500;
}

/** Returns the name of a data user; its WebID when the operator does not describe it. */
export function dataUserName(dataUser: Pick<DataUser, 'names'> | undefined, webId: string, words: Words): string {
  const name = words.choose(dataUser?.names ?? [])?.value;
  return name === undefined ? addressText(webId) : cleanName(name);
}

/**
 * Removes control and direction marks from a name that others chose, because they could make it look like another name,
 * and limits its length and the marks on a letter, which would cover the text around it.
 */
export function cleanName(name: string): string {
  return name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '').replaceAll(/(\p{M}{4})\p{M}+/gu, '$1')
    .slice(0, 200).replaceAll(/\p{Cs}/gu, '');
}

/**
 * Returns a URI that others chose in ASCII, as browsers show addresses: letters of other scripts could make it look
 * like another one, and direction marks would turn the text around. Browsers and servers differ in the hosts that they
 * accept, so some URIs of the service are none for the browser.
 */
export function addressText(uri: string): string {
  return URL.canParse(uri) ? new URL(uri).href : uri.replaceAll(/[^\u0020-\u007E]/gu, encodeURIComponent);
}
