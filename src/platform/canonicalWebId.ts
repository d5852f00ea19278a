import { canonicalSegments } from './targets';

/**
 * The one spelling of a WebID: scheme and host in lower case, no default port, every segment of the path encoded as the
 * server itself does it. Spaces around it, as they come along when it is copied, don't count.
 *
 * Of two spellings that name the same document, only one is the WebID that grants and tokens have: use this to find out
 * that they are alike, and never to change one that somebody else stated.
 *
 * @returns Nothing for what is no http(s) URL, has credentials, or has a path that two readers could read differently.
 */
export function canonicalWebId(text: string): string | undefined {
  const trimmed = text.trim();
  if (!/^https?:\/\/[^\s\p{Cc}\\]+$/iu.test(trimmed) || !URL.canParse(trimmed)) {
    return;
  }
  const { hash, origin, password, pathname, search, username } = new URL(trimmed);
  if (username !== '' || password !== '') {
    return;
  }
  try {
    return `${origin}${canonicalSegments(pathname)}${search}${hash}`;
  } catch {
    // Not one path: see PathRefused.
  }
}
