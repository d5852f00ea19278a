const minCharacters = 12;
const minDifferent = 5;
/** Bcrypt ignores further bytes: passwords with the same first 72 bytes would be equal. */
const maxBytes = 72;
/** Minimum letters besides common words in a strong password. */
const fewestOwnLetters = 3;
/** Minimum length of a run of neighbouring keys, and maximum length of a repeated part. */
const runLength = 4;
const longestRepeated = 7;

/** Prefixes of the most common passwords; also detected when repeated, combined, or padded. */
const commonWords = [
  'password',
  'passwort',
  'wachtwoord',
  'motdepasse',
  'qwerty',
  'azerty',
  'qwertz',
  'qazwsx',
  'administrator',
  'admin',
  'letmein',
  'welcome',
  'welkom',
  'bienvenue',
  'willkommen',
  'iloveyou',
  'unknown',
  'superman',
  'dragon',
  'football',
  'baseball',
  'monkey',
  'princess',
  'sunshine',
  'changeme',
  'secret',
  'test',
];
const rows = [
  '01234567890',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiop',
  'qwertzuiop',
  'azertyuiop',
  'asdfghjkl',
  'qsdfghjklm',
  'zxcvbnm',
  'yxcvbnm',
  'wxcvbn',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm',
  'zaq12wsxcde34rfvbgt56yhn',
  'qazwsxedcrfvtgbyhnujm',
  '1q2w3e4r5t6y7u8i9o0p',
  '1a2z3e4r5t6y7u8i9o0p',
].flatMap((row): string[] => [ row, reversed(row) ]);

/** Signs and digits that replace letters, and those letters; `1` replaces two of them. */
const signs = '@4305$7';
const letterOf = 'aaeosst';

/**
 * Returns the reason why a password is too weak, for its owner to read; undefined for a strong one.
 *
 * A strong password has at least 12 characters and at most 72 bytes, and is none of those that attackers try first:
 * common words with little else, neighbouring keys, digits alone, a few repeated characters, or the address.
 */
export function findWeakness(password: string, email = ''): string | undefined {
  const text = password.normalize('NFKC').toLowerCase();
  if (text.replaceAll(/./gsu, 'x').length < minCharacters) {
    return `A password has ${minCharacters} characters or more.`;
  }
  if (Buffer.byteLength(password) > maxBytes) {
    return `A password has ${maxBytes} characters or less, fewer with accents and signs.`;
  }
  const spellings = [ text, spelledOut(text, 'i'), spelledOut(text, 'l') ];
  if (new Set(text).size < minDifferent || /^[\d\s./-]+$/u.test(text) || isRepeated(text) ||
    spellings.some((each): boolean => isMadeOf(each, commonWords))) {
    return 'This password is one of those that are tried first. Choose another one, such as a sentence.';
  }
  if (spellings.some((each): boolean => isMadeOf(each, wordsOf(email)))) {
    return 'A password that is the e-mail address is tried first. Choose another one, such as a sentence.';
  }
}

function reversed(text: string): string {
  return Buffer.from(text).reverse().toString('latin1');
}

function spelledOut(text: string, one: string): string {
  return text.replaceAll('1', one)
    .replaceAll(/\P{L}/gu, (sign): string => letterOf[signs.indexOf(sign)] ?? sign);
}

/** Parts of an address that are long enough to look for in a password. */
function wordsOf(email: string): string[] {
  return email.toLowerCase().split(/\P{L}+/u).filter((word): boolean => word.length >= fewestOwnLetters);
}

function isRepeated(text: string): boolean {
  return [ ...Array.from({ length: longestRepeated }).keys() ]
    .some((index): boolean => text.slice(index + 1) === text.slice(0, -index - 1));
}

/** Checks whether a text consists of words and runs, with too few other letters. */
function isMadeOf(text: string, words: string[]): boolean {
  let own = lettersOf(withoutRuns(text));
  for (const word of words) {
    own = own.replaceAll(word, '').replaceAll(reversed(word), '');
  }
  return own.length < fewestOwnLetters && own.length < lettersOf(text).length;
}

function lettersOf(text: string): string {
  return text.replaceAll(/\P{L}/gu, '');
}

function withoutRuns(text: string): string {
  let left = '';
  for (let index = 0; index < text.length;) {
    const run = Math.max(...rows.map((row): number => runAt(text, index, row)));
    left += run >= runLength ? ' ' : text[index];
    index += run >= runLength ? run : 1;
  }
  return left;
}

/** Length of the run of consecutive characters that starts at an index. */
function runAt(text: string, start: number, row: string): number {
  let length = 0;
  while (start + length < text.length && row.includes(text.slice(start, start + length + 1))) {
    length += 1;
  }
  return length;
}
