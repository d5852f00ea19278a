/** Decodes percent-encoded text; returns text whose encoding is malformed unchanged. */
export function decodeLeniently(text: string): string {
  try {
    return text.includes('%') ? decodeURIComponent(text) : text;
  } catch {
    return text;
  }
}
