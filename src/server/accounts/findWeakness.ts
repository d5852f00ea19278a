const fewestCharacters = 12;
const fewestDifferent = 5;

/** Beginnings of what everybody thinks of first, also repeated or with something added to be long enough. */
const commonWords = [
  'password',
  'passwort',
  'wachtwoord',
  'motdepasse',
  'qwertyuiop',
  'azertyuiop',
  'qwerty',
  'azerty',
  'qwertz',
  'qazwsx',
  '1q2w3e4r',
  '1qaz2wsx',
  'zaq12wsx',
  'asdfghjkl',
  'zxcvbnm',
  'administrator',
  'adminadmin',
  'letmein',
  'welcome',
  'welkom',
  'bienvenue',
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
const rows = [ '01234567890123456789', 'abcdefghijklmnopqrstuvwxyz', 'qwertyuiop', 'azertyuiop', 'asdfghjkl' ];

/**
 * The reason why a password is too weak, in words for whoever chose it; undefined for one that is strong enough.
 *
 * It has 12 characters or more, and is none that is tried first: a common word with little else, one row of a
 * keyboard, few different characters, or the address.
 */
export function findWeakness(password: string, email = ''): string | undefined {
  const text = password.normalize('NFKC').toLowerCase();
  if (password.length < fewestCharacters) {
    return `A password has ${fewestCharacters} characters or more.`;
  }
  const bare = text.replaceAll('@', 'a').replaceAll('0', 'o').replaceAll('$', 's')
    .replaceAll('1', 'i').replaceAll('3', 'e');
  if (new Set(text).size < fewestDifferent || isInRow(text) || isCommon(text) || isCommon(bare)) {
    return 'This password is one of those that are tried first. Choose another one, such as a sentence.';
  }
  const [ name ] = email.toLowerCase().split('@');
  if (email !== '' && (text.includes(email.toLowerCase()) || (name.length > 3 && withoutFill(text) === name))) {
    return 'A password that is the e-mail address is tried first. Choose another one, such as a sentence.';
  }
}

function isInRow(text: string): boolean {
  return rows.some((row): boolean => `${row}${row}`.includes(text) || `${row}${row}`.includes(reversed(text)));
}

function reversed(text: string): string {
  return Buffer.from(text).reverse().toString('latin1');
}

/** A common word, once or repeated, with nothing else but digits and signs. */
function isCommon(text: string): boolean {
  const letters = withoutFill(text);
  return commonWords.some((word): boolean =>
    text.replaceAll(word, '').length <= 2 || letters.replaceAll(word, '') === '');
}

function withoutFill(text: string): string {
  return text.replaceAll(/\P{L}/gu, '');
}
