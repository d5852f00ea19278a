const separators = /[ ./-]/gu;
const centuries = [ 1900, 2000 ];

/**
 * Reads a Belgian national number: of the national register, or a BIS number of the social security, which has 20
 * (sex unknown) or 40 added to the month. Spaces, points, hyphens and slashes are ignored.
 *
 * The last two digits are 97 less the remainder by 97 of the nine before them, with a 2 in front for who was born
 * since 2000. The date must exist; month and day are 00 when they are not known.
 *
 * @returns Its normal form, 11 digits; `undefined` when it is not such a number.
 */
export function parseBelgianNumber(text: string): string | undefined {
  const digits = text.replaceAll(separators, '');
  return /^\d{11}$/u.test(digits) && centuries.some((century): boolean => isValid(digits, century)) ?
    digits :
    undefined;
}

function isValid(digits: string, century: number): boolean {
  const counted = (century === 1900 ? 0 : 2_000_000_000) + Number(digits.slice(0, 9));
  return 97 - counted % 97 === Number(digits.slice(9)) &&
    isDate(century + Number(digits.slice(0, 2)), Number(digits.slice(2, 4)), Number(digits.slice(4, 6)));
}

function isDate(year: number, givenMonth: number, day: number): boolean {
  const month = givenMonth % 20;
  if (givenMonth >= 60 || month > 12) {
    return false;
  }
  // Day 0 of the month after it is the last one of a month.
  return day <= (month === 0 ? 31 : new Date(Date.UTC(year, month, 0)).getUTCDate());
}
