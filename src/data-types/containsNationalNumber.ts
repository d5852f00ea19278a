import type { Quad } from 'n3';
import type { NationalNumber } from '../identity/NationalNumber';

/** Up to three separators between two digits, which may be percent-encoded. */
const separators = '(?:[^0-9A-Za-z]|%[0-9A-Fa-f]{2}){0,3}';

/**
 * Checks whether a record contains a national number in a place that is not meant for it.
 *
 * Finds the number with and without separators, inside longer texts, IRIs, keys and contexts, and as a JSON number.
 *
 * @param json - The record as received.
 * @param data - The record as RDF.
 * @param nationalNumber - The citizen's number.
 * @param allowed - IRIs of properties that may have it as their value.
 */
export function containsNationalNumber(
  json: unknown,
  data: Quad[],
  nationalNumber: NationalNumber,
  allowed: Set<string>,
): boolean {
  const contains = matcher(nationalNumber.reveal());
  const permitted = new Set<string>();
  for (const { subject, predicate, object } of data) {
    if (allowed.has(predicate.value) && object.termType === 'Literal') {
      permitted.add(object.value);
    } else if (contains(object.value)) {
      return true;
    }
    if (contains(subject.value) || contains(predicate.value)) {
      return true;
    }
  }
  return containsElsewhere(json, contains, permitted);
}

/** Checks whether a text contains a national number, with or without separators. */
export function mentionsNationalNumber(text: string, nationalNumber: NationalNumber): boolean {
  return matcher(nationalNumber.reveal())(text);
}

function matcher(nationalNumber: string): (text: string) => boolean {
  const characters = nationalNumber.match(/[\dA-Za-z]/gu) ?? [];
  const pattern = new RegExp(characters.join(separators), 'iu');
  return (text): boolean => pattern.test(text.normalize('NFKC')) ||
    // A JSON number loses its leading zeros.
    (/^\d+$/u.test(text) && text.padStart(nationalNumber.length, '0') === nationalNumber);
}

/** Searches the parts of the JSON that make no RDF statements, such as keys and contexts. */
function containsElsewhere(json: unknown, contains: (text: string) => boolean, permitted: Set<string>): boolean {
  if (typeof json === 'object' && json !== null) {
    return Object.entries(json).some(([ key, value ]): boolean =>
      contains(key) || containsElsewhere(value, contains, permitted));
  }
  const text = String(json);
  return !permitted.has(text) && contains(text);
}
