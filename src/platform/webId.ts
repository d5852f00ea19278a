import { findPlainUrl } from './plainUrl';
import { canonicalSegments } from './targets';

declare const statedForm: unique symbol;

/**
 * WebID of a person, organisation or app: an http(s) URL in the spelling in which it was stated, since WebIDs are
 * compared as text. Only the functions of this file make it; columns of the records that hold one are declared so.
 *
 * @see [Solid WebID Profile, section 2](https://solid.github.io/webid-profile/#terminology)
 */
export type WebId = string & { readonly [statedForm]: 'WebId' };

/** Checks whether a text is an http(s) URL. Where fewer of these are taken, as in tokens, that is checked there. */
export function isWebId(text: string): text is WebId {
  return /^https?:/iu.test(text) && URL.canParse(text);
}

/**
 * Parses a WebID, whose spelling stays as it is.
 *
 * @throws TypeError for what is no http(s) URL.
 */
export function parseWebId(text: string): WebId {
  if (!isWebId(text)) {
    throw new TypeError('A WebID is an http(s) URL.');
  }
  return text;
}

/**
 * Parses a WebID as tokens have them, whose spelling stays as it is, and its URL.
 *
 * @returns Nothing for what is no http(s) URL, has credentials, or has characters that parsing would replace or drop.
 */
export function findPlainWebId(text: string): { webId: WebId; url: URL } | undefined {
  const url = findPlainUrl(text);
  return url && { webId: branded(text), url };
}

/**
 * The one spelling of a WebID: scheme and host in lower case, no default port, every segment of the path encoded as the
 * server itself does it. Spaces around it, as they come along when it is copied, don't count.
 *
 * Of two spellings that name the same document, only one is the WebID that grants and tokens have: use this to find out
 * that they are alike, and never to change one that somebody else stated.
 *
 * @returns Nothing for what is no http(s) URL, has credentials, or has a path that two readers could read differently.
 */
export function canonicalWebId(text: string): WebId | undefined {
  const url = findPlainUrl(text.trim());
  if (!url) {
    return;
  }
  const { hash, origin, pathname, search } = url;
  try {
    return branded(`${origin}${canonicalSegments(pathname)}${search}${hash}`);
  } catch {
    // Not one path: see PathRefused.
  }
}

/** Asserts that a text is a WebID: each caller has parsed it. */
function branded(text: string): WebId {
  return text as WebId;
}
