import { dataUserName } from './asked';
import type { AccessRequest, DataUser, Described, Vault } from './service';
import type { Argument, Word, Words } from './words';

/** A request for access, with what is known of it. */
export interface Question {
  request: AccessRequest;
  /** Absent for who is not described by the operator: it has no agreement here. */
  dataUser?: DataUser;
  /** Descriptions of the purposes, in their order. */
  purposes: Described[];
  vault?: Vault;
}

/**
 * The sentence of a request.
 *
 * @param question - That is said.
 * @param words - Texts in the reader's language.
 */
export function sayRequest(question: Question, words: Words): { word: Word; values: Record<string, Argument> } {
  const { modes, resources, expiresAt } = question.request;
  const reading: Word = modes.includes('Append') ? 'request.canAppend' : 'request.canRead';
  const can: Word = modes.includes('Write') ? 'request.canWrite' : reading;
  return {
    word: expiresAt === undefined ? 'request.sentenceNoEnd' : 'request.sentence',
    values: {
      user: nameOfRequestor(question, words),
      can: words.say(can),
      what: words.list(resources.map((resource): string => nameOfResource(resource, question, words))),
      ...expiresAt !== undefined && { until: words.lastDay(expiresAt) },
    },
  };
}

/** Name of who asks: the WebID of who is not described. */
export function nameOfRequestor({ dataUser, request }: Question, words: Words): string {
  return dataUserName(dataUser, request.requestor, words);
}

/** A file or folder in words; its URI when it is not in the citizen's vault. */
export function nameOfResource(uri: string, { vault }: Question, words: Words): string {
  if (!vault || !uri.startsWith(vault.url)) {
    return uri;
  }
  if (uri === vault.url) {
    return words.say('request.vault');
  }
  const name = decodeURIComponent(uri.slice(vault.url.length)).replace(/\/$/u, '');
  return words.say(uri.endsWith('/') ? 'request.folder' : 'request.file', { name });
}

/**
 * The address at which somebody goes on after answering: of the app that asked, which nobody registered here, so
 * it is shown before it is opened.
 *
 * @param redirectUrl - As the address of the page has it.
 * @param answer - URI of the grant or denial.
 */
export function wayOn(redirectUrl: string | undefined, answer: string): URL | undefined {
  const url = redirectUrl !== undefined && URL.canParse(redirectUrl) ? new URL(redirectUrl) : undefined;
  const isWeb = url?.protocol === 'https:' || (url?.protocol === 'http:' && url.hostname === 'localhost');
  if (!url || !isWeb || url.username !== '' || url.password !== '' || url.hash !== '') {
    return;
  }
  url.searchParams.append('accessGrantUrl', answer);
  return url;
}
