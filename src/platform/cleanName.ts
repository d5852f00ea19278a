const maxNameLength = 200;
/** The first characters; the flag `u` prevents half a character at the end. */
const firstCharacters = new RegExp(`^.{0,${maxNameLength}}`, 'su');
/** Marks on one letter beyond this number would cover the text around it. */
const manyMarks = /(\p{M}{4})\p{M}+/gu;
/** Control characters, bidirectional marks, invisible tags, line separators, and lone surrogates. */
const unseen = /[\p{Cc}\p{Bidi_Control}\p{Cs}\u2028\u2029\uFEFF\u{E0000}-\u{E007F}]/gu;

/**
 * Cleans a name that somebody chose, so that it can be displayed: at most 200 characters, on one line, in the direction
 * of its own letters.
 *
 * @returns `undefined` when nothing remains.
 */
export function cleanName(name: unknown): string | undefined {
  if (typeof name !== 'string') {
    return;
  }
  const line = name.slice(0, 50 * maxNameLength)
    .replaceAll(/\s/gu, ' ')
    .replaceAll(unseen, '')
    .replaceAll(manyMarks, '$1')
    .replaceAll(/ {2,}/gu, ' ')
    .trim();
  const [ first = '' ] = firstCharacters.exec(line) ?? [];
  const cut = first.trim();
  return cut === '' ? undefined : cut;
}
