import { addressText, cleanName, dataUserName } from './asked';
import { describeModes } from './modes';
import type { AccessRequest, DataUser, Described, Vault } from './service';
import type { Argument, Word, Words } from './words';

/** An access request, with descriptions of its parts. */
export interface Question {
  request: AccessRequest;
  /** Absent for a requestor that the operator does not describe, and has no agreement with. */
  dataUser?: DataUser;
  /** Descriptions of the purposes, in the order of the request. */
  purposes: Described[];
  vault?: Vault;
}

/**
 * Returns the sentence that describes a request, with its values.
 *
 * @param question - The request.
 * @param words - Texts in the reader's language.
 */
export function describeRequest(question: Question, words: Words): { word: Word; values: Record<string, Argument> } {
  const { modes, resources, expiresAt } = question.request;
  return {
    word: expiresAt === undefined ? 'request.sentenceNoEnd' : 'request.sentence',
    values: {
      user: nameOfRequestor(question, words),
      can: describeModes(modes, words),
      what: words.list(resources.map((resource): string => nameOfResource(resource, question, words))),
      ...expiresAt !== undefined && { until: words.lastDay(expiresAt) },
    },
  };
}

/** Returns the name of the requestor; the WebID when the operator does not describe it. */
export function nameOfRequestor({ dataUser, request }: Question, words: Words): string {
  return dataUserName(dataUser, request.requestor, words);
}

/** Returns the name of a file or folder; its URI when it is not in the citizen's vault. */
export function nameOfResource(uri: string, { vault }: Question, words: Words): string {
  if (!vault || !uri.startsWith(vault.url)) {
    return addressText(uri);
  }
  if (uri === vault.url) {
    return words.text('request.vault');
  }
  const name = cleanName(decodeURIComponent(uri.slice(vault.url.length)).replace(/\/$/u, ''));
  return words.text(uri.endsWith('/') ? 'request.folder' : 'request.file', { name });
}

/**
 * Returns the address that the citizen continues to after answering. It belongs to the app that asked and nobody
 * registered it, so the page shows it before opening it.
 *
 * @param redirectUrl - URL from the address of the page.
 * @param answer - URI of the grant or denial.
 */
export function continuationUrl(redirectUrl: string | undefined, answer: string): URL | undefined {
  const url = redirectUrl !== undefined && URL.canParse(redirectUrl) ? new URL(redirectUrl) : undefined;
  const isWeb = url?.protocol === 'https:' || (url?.protocol === 'http:' && url.hostname === 'localhost');
  if (!url || !isWeb || url.username !== '' || url.password !== '' || url.hash !== '') {
    return;
  }
  url.searchParams.append('accessGrantUrl', answer);
  return url;
}
