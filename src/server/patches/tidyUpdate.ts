import { BadRequestHttpError } from '@solid/community-server';
import { requireShallow } from '../nesting/limitNesting';
import { requireFew } from './patching';

/** Maximum symbols, each weighted with its depth: a tenth to a fifth of a second of work. */
const maxSymbols = 10_000;
/** Characters of a word that count as one symbol. Each further character counts as one: words need no separator. */
const wordLength = 16;
/** Maximum characters of all bases together: the parser's time grows with the square of a base. */
const maxBaseLength = 2048;

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
/** Parts of an update, as the server's parser finds them. The parser's own expressions have this flag as well. */
const part = new RegExp(forms.join('|'), 'giu');

/**
 * Replaces all spaces and comments of a SPARQL update by single line ends: the server's parser works for hours on forty
 * spaces after `INSERT`. It is also slow for many symbols, and slower when they are nested.
 *
 * @throws BadRequestHttpError when it is nested too deeply, or its bases are too long.
 * @throws HttpError 413 when it has too many symbols.
 */
export function tidyUpdate(update: string): string {
  const parts: string[] = [];
  let [ depth, symbols, baseLength ] = [ 0, 0, 0 ];
  let before = '';
  for (const { 0: text, groups } of update.matchAll(part)) {
    const tidied = groups?.blank === undefined ? text : '\n';
    if (tidied === '\n' && parts.at(-1) === '\n') {
      continue;
    }
    parts.push(tidied);
    baseLength += text.startsWith('<') && /base$/iu.test(before) ? text.length : 0;
    before = tidied === '\n' ? before : text;
    depth += changeOfDepth(text);
    symbols += Math.max(1, depth) * (groups?.word === undefined ? 1 : symbolsIn(text));
    requireShallow(depth);
    requireFew(symbols, maxSymbols);
    requireShort(baseLength);
  }
  return parts.join('');
}

function requireShort(baseLength: number): void {
  if (baseLength > maxBaseLength) {
    throw new BadRequestHttpError(`The bases of a patch have at most ${maxBaseLength} characters.`);
  }
}

function changeOfDepth(text: string): number {
  if (text.length > 1) {
    return 0;
  }
  return ('([{'.includes(text) ? 1 : 0) - (')]}'.includes(text) ? 1 : 0);
}

/** Returns the maximum number of symbols in a word with or without dots and hyphens. */
function symbolsIn(word: string): number {
  return 1 + Math.max(0, word.length - wordLength) + (word.match(/[.-]/gu)?.length ?? 0);
}
