/** Control characters of terminals, and marks that change the direction of text. */
// eslint-disable-next-line no-control-regex -- they are what is looked for
const unprintable = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu;

/** Escapes control characters and direction marks as in JSON; JSON keeps its meaning. Tabs and line feeds stay. */
export function escapeUnprintable(text: string): string {
  return text.replaceAll(unprintable, (character): string =>
    `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);
}

/** Does the same, and indents all lines but the first, so that a text within an entry cannot forge another one. */
export function withinEntry(text: string): string {
  return escapeUnprintable(text.replaceAll(/\r\n|[\n\r]/gu, '\n    '));
}
