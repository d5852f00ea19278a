import { requireShallow } from '../nesting/limitNesting';
import { requireFew } from './patching';

/** Symbols, each counted as often as it is deep: a tenth to a fifth of a second of work. */
const maxSymbols = 10_000;
/** Characters of a word that count as one symbol. Those after count each: words need nothing between them. */
const wordLength = 16;

const escape = String.raw`\\[tbnrf\\"']|\\u[\da-f]{4}`;
const forms = [
  String.raw`(?<blank>\s+|#[^\n\r]*)`,
  `"""(?:"{0,2}(?:[^"\\\\]|${escape}))*"""`,
  `'''(?:'{0,2}(?:[^'\\\\]|${escape}))*'''`,
  `"(?:[^"\\\\\n\r]|${escape})*"`,
  `'(?:[^'\\\\\n\r]|${escape})*'`,
  String.raw`<[^<>"{}|^\x60\\\u0000-\u0020]*>`,
  String.raw`\\[\s\S]`,
  String.raw`(?<word>[^\s"'<>#()[\]{},;/|^*+!=&?$@~\x60\\]+)`,
  String.raw`\S`,
];
/** Parts of an update, as the server's parser finds them. Its own expressions have this flag as well. */
const part = new RegExp(forms.join('|'), 'giu');

/**
 * A SPARQL update with no more than a line end wherever there are spaces and comments: the server's parser works for
 * hours on forty spaces after `INSERT`. It also takes long for many symbols, and longer when they are nested.
 *
 * @throws BadRequestHttpError when it is nested too deeply.
 * @throws HttpError 413 when it has too many symbols.
 */
export function tidyUpdate(update: string): string {
  const parts: string[] = [];
  let [ depth, symbols ] = [ 0, 0 ];
  for (const { 0: text, groups } of update.matchAll(part)) {
    const tidied = groups!.blank === undefined ? text : '\n';
    if (tidied === '\n' && parts.at(-1) === '\n') {
      continue;
    }
    parts.push(tidied);
    depth += changeOfDepth(text);
    symbols += Math.max(1, depth) * (groups!.word === undefined ? 1 : symbolsIn(text));
    requireShallow(depth);
    requireFew(symbols, maxSymbols);
  }
  return parts.join('');
}

function changeOfDepth(text: string): number {
  if (text.length > 1) {
    return 0;
  }
  return ('([{'.includes(text) ? 1 : 0) - (')]}'.includes(text) ? 1 : 0);
}

/** At most, of a word with or without dots and hyphens. */
function symbolsIn(word: string): number {
  return 1 + Math.max(0, word.length - wordLength) + (word.match(/[.-]/gu)?.length ?? 0);
}
