const separators = /[ ./-]/gu;
const centuries = [ 1900, 2000 ];

/**
 * Reads a Belgian national number: of the national register, or a BIS number of social security, which adds 20 (sex
 * unknown) or 40 to the month. Spaces, points, hyphens and slashes are ignored.
 *
 * The last two digits are 97 minus the remainder modulo 97 of the first nine, which are prefixed with 2 for people born
 * since 2000. The date must exist; an unknown month or day is 00.
 *
 * @returns Its normal form, 11 digits; `undefined` for any other text.
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
  // Day 0 of the next month is the last day of this month.
  return day <= (month === 0 ? 31 : new Date(Date.UTC(year, month, 0)).getUTCDate());
}
