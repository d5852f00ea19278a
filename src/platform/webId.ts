import { findPlainUrl } from './plainUrl';
import { canonicalSegments } from './targets';

declare const statedForm: unique symbol;

/**
 * WebID of a person, organisation or app: an http(s) URL in the spelling of whoever stated it, because WebIDs are
 * compared as text. Only the functions of this file create the type, and columns of the records that hold a WebID are
 * declared with it, except the owners of pods, which are as in the server's accounts.
 *
 * @see [Solid WebID Profile, section 2](https://solid.github.io/webid-profile/#terminology)
 */
export type WebId = string & { readonly [statedForm]: 'WebId' };

/**
 * Checks whether a text is an http(s) URL of well-formed Unicode. Stricter rules, such as those for tokens, are checked
 * where they apply.
 */
export function isWebId(text: string): text is WebId {
  return /^https?:\P{Cs}*$/iu.test(text) && URL.canParse(text);
}

/**
 * Parses a WebID without changing its spelling.
 *
 * @throws TypeError when it is not an http(s) URL.
 */
export function parseWebId(text: string): WebId {
  if (!isWebId(text)) {
    throw new TypeError('A WebID is an http(s) URL.');
  }
  return text;
}

/**
 * Parses a WebID by the rules for tokens, without changing its spelling. Returns it with its URL.
 *
 * @returns Nothing when it is not an http(s) URL, or has credentials or characters that parsing would replace or drop.
 */
export function findPlainWebId(text: string): { webId: WebId; url: URL } | undefined {
  const url = findPlainUrl(text);
  return url && { webId: branded(text), url };
}

/**
 * Returns the canonical spelling of a WebID: scheme and host in lower case, no default port, every path segment encoded
 * as the server does. Surrounding spaces, which come with copying, are ignored.
 *
 * Of two spellings of the same document, only one is the WebID in grants and tokens. Use this to detect similar WebIDs,
 * and never to change one that somebody else stated.
 *
 * @returns Nothing when it is not an http(s) URL, or has credentials or a path that parsers could read differently.
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
    // The path is ambiguous: see PathRefused.
  }
}

/** Marks a text as a WebID. Every caller has parsed it. */
function branded(text: string): WebId {
  return text as WebId;
}
