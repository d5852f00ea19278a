/** Parses an absolute URL; undefined for any other text. */
export function findUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    // Not a URL.
  }
}

/** Parses an absolute http(s) URL without credentials, and without characters that parsing would replace or drop. */
export function findPlainUrl(text: string): URL | undefined {
  const url = /^https?:\/\/[^\s\p{Cc}\p{Cs}\\]+$/iu.test(text) ? findUrl(text) : undefined;
  return url?.username === '' && url.password === '' ? url : undefined;
}
