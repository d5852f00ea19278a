import { parseBelgianNumber } from './parseBelgianNumber';
import type { NationalNumbers } from './NationalNumbers';

/** A text without escapes, and the original position of each of its characters. */
interface Plain {
  text: string;
  /** One more entry than there are characters: the last one is the end. Absent when there were no escapes. */
  starts?: number[];
}

/** The same while it is built. */
type Undone = Required<Plain>;

/** Consecutive digits. */
interface Group {
  start: number;
  end: number;
}

/** Part of a text to replace. */
interface Redaction extends Group {
  by: '[address]' | '[id]' | '[number]' | '[secret]' | '[token]';
}

/** A token, or text that only begins like one: matched too, because the search would begin anew within it. */
const token = /eyJ[\w-]+(?:\.[\w-]+(?:\.[\w-]*)?)?/gu;
const uuid = /(?<![\da-z])[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?![\da-z])/giu;
/** Parameters of URLs that are secrets. */
const secrets = [
  'code',
  'device_code',
  'code_verifier',
  'access_token',
  'refresh_token',
  'id_token',
  'id_token_hint',
  'logout_token',
  'claim_token',
  'ticket',
  'client_secret',
  'client_assertion',
  'assertion',
  'password',
  'rid',
];
const secret = new RegExp(String.raw`(?<=[?&#](?:${secrets.join('|')})=)[^&#\s"'<>]+`, 'giu');
/** An e-mail address. The local part excludes slashes, so that paths stay readable. */
const address = /[^\s@<>"`(),:;=?&\\/[\]]{1,64}@[\w.-]{0,255}[a-z][\w.-]{0,255}/giu;
/** Anything long enough for an id, code or token: those of the server and its libraries are never shorter. */
const idShape = /[\w-]{20,}/gu;
/**
 * Names of classes, files and other identifiers, which are not ids. There is one way to match each, because those that
 * match nearly would otherwise take exponential time.
 */
const words = /^(?:[A-Z]?[a-z]{2,}(?![a-z])(?:\d{0,8}[-_]|\d{0,4}(?![\d_-]))|[A-Z]{2,6}(?=[A-Z][a-z])|\d{1,4}[-_])+$/u;
/** Length of ids of the identity provider: one in two thousand passes for words, one in a million for plain ones. */
const providerIdLength = 21;
const plainWords = /^[A-Z]?[a-z]{3,}(?:[A-Z][a-z]{3,})*$/u;
/** Paths with ids of accounts, log-ins and subscriptions; other paths contain names of resources. */
const pathsWithIds = /\.(?:account|notifications|oidc)\//iu;
const numberLength = 11;
/** Layout of the number on identity cards, which nothing else has. */
const layout = /^\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}$/u;
/** Characters that people put between the parts of a number, at any place. */
const softSeparator = /^[ \t.\-_+\u00A0\u2000-\u2015\u202F]{1,3}$/u;
/** Further separators, accepted only between the parts of a number: other numbered things have them, too. */
const separator = /^[ \t.\-_+\u00A0\u2000-\u2015\u202F/:,;|]{1,3}$/u;
const places = new Set([ 2, 4, 6, 9 ]);

/** National numbers of other countries than Belgium. */
const others = new Set<Pick<NationalNumbers, 'parse'>>();
/** Maximum length and number of parts, and minimum number of digits, of such a number. */
const othersLength = 20;
const othersParts = 8;
const othersDigits = 5;
const othersSeparator = /^[ \t.\-_+/\u00A0\u2000-\u2015\u202F]{1,3}$/u;

/** Makes this process redact these numbers too, besides those of Belgium. */
export function redactAlso(numbers: Pick<NationalNumbers, 'parse'>): void {
  if (numbers.parse !== parseBelgianNumber) {
    others.add(numbers);
  }
}

/**
 * Removes tokens, national numbers, e-mail addresses and secrets in URLs from a text for the log, even when they are
 * escaped for URLs, JSON or HTML.
 *
 * A national number is recognised by its date and check digits, so that ids, times and paths stay readable. UUIDs are
 * left as they are, whatever their digits.
 *
 * @param text - The text.
 * @param withIds - Also removes everything that can be an id, except names in the paths of resources: for authors whose
 *   texts contain ids that are as good as a password, such as those of sessions.
 */
export function redact(text: string, withIds = false): string {
  if (!/\d.*\d|eyJ|[=@]/su.test(text) && !(withIds && /[\w-]{20}/u.test(text))) {
    return text;
  }
  const plain = undoEscapes(text);
  const redactions = [
    ...tokensIn(plain.text),
    ...matches(plain.text, secret, '[secret]'),
    // Searching for the sign is much faster than searching for the part before it.
    ...plain.text.includes('@') ? matches(plain.text, address, '[address]') : [],
    ...withIds ? idsIn(plain.text) : [],
  ];
  const seen = hide(plain.text, [ ...redactions, ...matches(plain.text, uuid, '[token]') ]);
  redactions.push(...numbersIn(seen), ...othersIn(seen));
  return redactions.length === 0 ? text : replace(text, plain, redactions);
}

/**
 * Removes national numbers only, recognised as by {@link redact}: from names, in which everything else matters.
 *
 * @param text - The text.
 * @param which - Selects numbers by their digits; all by default.
 */
export function redactNumbers(text: string, which: (digits: string) => boolean = (): boolean => true): string {
  if (!/\d.*\d/su.test(text)) {
    return text;
  }
  const plain = undoEscapes(text);
  const seen = hide(plain.text, matches(plain.text, uuid, '[token]'));
  const redactions = [ ...numbersIn(seen), ...othersIn(seen) ].filter(({ start, end }): boolean =>
    which(plain.text.slice(start, end).replaceAll(/\W|_/gu, '')));
  return redactions.length === 0 ? text : replace(text, plain, redactions);
}

/**
 * Removes everything that may be meant as a national number, even with a typing error: for texts in which nothing else
 * has eleven digits, such as file names and an operator's input. Numbers of other countries are recognised by fewer
 * digits.
 */
export function redactDigits(text: string): string {
  const redacted = text.replaceAll(/\d(?:[\s./_-]{0,3}\d){10,}/gu, '[number]');
  return others.size === 0 ? redacted : redacted.replaceAll(/\w?\d(?:[\s./_+-]{0,3}\d){4,}\w*/gu, '[number]');
}

function matches(text: string, pattern: RegExp, by: Redaction['by']): Redaction[] {
  return [ ...text.matchAll(pattern) ].map(({ 0: found, index }): Redaction =>
    ({ start: index, end: index + found.length, by }));
}

function tokensIn(text: string): Redaction[] {
  return matches(text, token, '[token]').filter(({ start, end }): boolean => text.slice(start, end).includes('.'));
}

function idsIn(text: string): Redaction[] {
  return [ ...text.matchAll(/[^\s"'`<>(),]+/gu) ]
    .filter(([ word ]): boolean => !/^\W?\/|:\/\//u.test(word) || pathsWithIds.test(word))
    .flatMap(({ 0: word, index }): Redaction[] => matches(word, idShape, '[id]')
      .filter(({ start, end }): boolean => !isName(word.slice(start, end)))
      .map((found): Redaction => ({ ...found, start: found.start + index, end: found.end + index })));
}

function isName(word: string): boolean {
  return (word.length === providerIdLength ? plainWords : words).test(word);
}

/** Masks the parts of a text that cannot contain a number. */
function hide(text: string, parts: Group[]): string {
  let hidden = '';
  let at = 0;
  for (const { start, end } of parts.sort(byStart)) {
    hidden += text.slice(at, Math.max(start, at)) + '\0'.repeat(Math.max(end - Math.max(start, at), 0));
    at = Math.max(end, at);
  }
  return hidden + text.slice(at);
}

function byStart(left: Group, right: Group): number {
  return left.start - right.start;
}

function numbersIn(text: string): Redaction[] {
  const groups = [ ...text.matchAll(/\d+/gu) ].map(({ 0: digits, index }): Group =>
    ({ start: index, end: index + digits.length }));
  const found: Redaction[] = [];
  for (let first = 0; first < groups.length; first += 1) {
    const last = lastOfNumber(text, groups, first);
    if (last !== undefined) {
      found.push({ start: groups[first].start, end: groups[last].end, by: '[number]' });
    }
  }
  return found;
}

function othersIn(text: string): Redaction[] {
  if (others.size === 0) {
    return [];
  }
  const groups = [ ...text.matchAll(/[\da-z]+/giu) ].map(({ 0: part, index }): Group =>
    ({ start: index, end: index + part.length }));
  return groups.flatMap((group, first): Redaction[] => {
    const digitsFrom = group.start + Math.max(text.slice(group.start, group.end).search(/\d/u), 0);
    for (const start of new Set([ group.start, digitsFrom ])) {
      const end = endOfOther(text, groups, first, start);
      if (end !== undefined) {
        return [{ start, end, by: '[number]' }];
      }
    }
    return [];
  });
}

/** End of the foreign number that begins at an index in a group; `undefined` when none does. */
function endOfOther(text: string, groups: Group[], first: number, start: number): number | undefined {
  let length = 0;
  let digits = 0;
  for (let at = first; at < Math.min(groups.length, first + othersParts); at += 1) {
    const { end } = groups[at];
    if (at > first && !othersSeparator.test(text.slice(groups[at - 1].end, groups[at].start))) {
      return;
    }
    const part = text.slice(at === first ? start : groups[at].start, end);
    length += part.length;
    digits += part.replaceAll(/\D/gu, '').length;
    if (length > othersLength) {
      return;
    }
    const isLong = digits >= othersDigits;
    if (isLong && [ ...others ].some((one): boolean => one.parse(text.slice(start, end)) !== undefined)) {
      return end;
    }
  }
}

/** Last group of the national number that begins with a group of digits; `undefined` when none does. */
function lastOfNumber(text: string, groups: Group[], first: number): number | undefined {
  const ends: number[] = [];
  let digits = '';
  let isSoft = true;
  for (let at = first; at < groups.length; at += 1) {
    const { start, end } = groups[at];
    if (at > first) {
      const between = text.slice(groups[at - 1].end, start);
      if (!separator.test(between)) {
        return;
      }
      isSoft &&= softSeparator.test(between);
      ends.push(digits.length);
    }
    digits += text.slice(start, end);
    if (digits.length >= numberLength) {
      const written = text.slice(groups[first].start, end);
      return digits.length === numberLength && isNumber(digits, written, isSoft || areUsual(ends)) ? at : undefined;
    }
  }
}

function isNumber(digits: string, written: string, isSeparated: boolean): boolean {
  return layout.test(written) || (isSeparated && parseBelgianNumber(digits) !== undefined);
}

/** Returns true when the separators are where the number's parts end, or after every digit. */
function areUsual(ends: number[]): boolean {
  return ends.length === numberLength - 1 || ends.every((end): boolean => places.has(end));
}

function replace(text: string, { starts }: Plain, redactions: Redaction[]): string {
  let result = '';
  let at = 0;
  for (const { start, end, by } of redactions.sort(byStart)) {
    const from = starts ? starts[start] : start;
    // Either of two overlapping matches can be meant: remove both.
    if (from >= at) {
      result += text.slice(at, from) + by;
    }
    at = Math.max(at, starts ? starts[end] : end);
  }
  return result + text.slice(at);
}

const escape = /%(?:25)*[\da-f]{2}|\\u[\da-f]{4}|\\x[\da-f]{2}|&#\d{1,7};|&#x[\da-f]{1,6};/giu;

/** Undoes escapes, even repeated ones, and folds digits of other scripts. */
function undoEscapes(text: string): Plain {
  // Most texts have nothing to undo.
  if (!/[%\\&]|[^\0-\u007F]/u.test(text)) {
    return { text };
  }
  const plain: Undone = { text: '', starts: []};
  let at = 0;
  for (const { 0: escaped, index } of text.matchAll(escape)) {
    if (index >= at) {
      add(plain, text.slice(at, index), at);
      at = index + (escaped.startsWith('%') ? addBytes(plain, text, index) : addEscape(plain, escaped, index));
    }
  }
  add(plain, text.slice(at), at);
  plain.starts.push(text.length);
  return plain;
}

function add(plain: Undone, characters: string, start: number): void {
  let offset = start;
  for (const character of characters) {
    addAs(plain, character, offset);
    offset += character.length;
  }
}

/** Appends the character of an escape; it always counts as one character. */
function addAs(plain: Undone, character: string, start: number): void {
  const folded = character <= '\u007F' ? character : foldDigit(character) ?? character.normalize('NFKC');
  plain.text += folded.length === 1 ? folded : '\0';
  plain.starts.push(start);
}

const digit = /^\p{Nd}$/u;

/** Value of a digit in any script, from 0 to 9. Unicode lists the digits of each script in a row from 0 on. */
function foldDigit(character: string): string | undefined {
  if (!digit.test(character)) {
    return;
  }
  const code = character.codePointAt(0) ?? 0;
  let zero = code;
  while (digit.test(String.fromCodePoint(zero - 1))) {
    zero -= 1;
  }
  return String((code - zero) % 10);
}

function addEscape(plain: Undone, escaped: string, start: number): number {
  const [ , decimal ] = /^&#(\d+);$/u.exec(escaped) ?? [];
  const code = decimal === undefined ?
      Number.parseInt(escaped.replaceAll(/^(?:\\[ux]|&#x)|;$/giu, ''), 16) :
      Number(decimal);
  addAs(plain, code <= 0x10FFFF ? String.fromCodePoint(code) : '\0', start);
  return escaped.length;
}

/** Appends the character whose escaped bytes begin at an index; returns the length of the escapes. */
function addBytes(plain: Undone, text: string, start: number): number {
  const [ first = '' ] = /^%(?:25)*[\da-f]{2}/iu.exec(text.slice(start, start + 200)) ?? [];
  const lead = Number.parseInt(first.slice(-2), 16);
  const count = [ 0xC0, 0xE0, 0xF0 ].filter((least): boolean => lead >= least).length;
  const [ all ] = new RegExp(`^(?:%(?:25)*[\\da-f]{2}){${count + 1}}`, 'iu').exec(text.slice(start, start + 800)) ?? [];
  const bytes = all && Buffer.from(all.replaceAll(/%(?:25)*/gu, ''), 'hex');
  const character = bytes?.toString('utf8') ?? '\0';
  addAs(plain, character, start);
  return all?.length ?? first.length;
}
