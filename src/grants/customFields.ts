import { decodeLeniently } from '../platform/decodeLeniently';
import { hasHalfCharacter } from '../platform/hasHalfCharacter';
import { BodyInvalid } from '../problems';
import { isIri } from './iris';

/** Members that a client adds to a consent, keyed by absolute URL. */
export type CustomFields = Record<string, string | number | boolean>;

const maxFields = 20;
const maxBytes = 1024;

/** Namespaces (host and path) of terms that access credentials set themselves, or that RDF readers act on. */
const reserved = [
  'w3id.org/security',
  'w3id.org/gconsent',
  'w3id.org/vc',
  'www.w3.org/2018/credentials',
  'www.w3.org/ns/credentials',
  'www.w3.org/ns/solid/',
  'www.w3.org/ns/auth/',
  'www.w3.org/ns/ldp',
  'www.w3.org/ns/hydra/',
  'www.w3.org/1999/02/22-rdf-syntax-ns',
  'www.w3.org/2000/01/rdf-schema',
  'www.w3.org/2001/xmlschema',
  'schema.inrupt.com/',
  'vc.inrupt.com/',
];

/**
 * Checks the custom fields of a consent: at most 20 strings, numbers and booleans that survive a round trip, at most 1
 * KiB each with their name, none in the namespaces of access credentials.
 *
 * @param members - Members of the consent that are not terms.
 *
 * @throws BodyInvalid
 */
export function readCustomFields(members: Record<string, unknown>): CustomFields {
  const fields = Object.entries(members);
  if (fields.length > maxFields) {
    throw new BodyInvalid(`There are more than ${maxFields} custom fields.`);
  }
  for (const [ name, value ] of fields) {
    checkName(name);
    checkValue(name, value);
  }
  // Checked above.
  return members as CustomFields;
}

function checkName(name: string): void {
  // A name without `//` may be a shorthand in the context.
  if (!isIri(name, [ 'http', 'https' ])) {
    throw new BodyInvalid('The consent has a member that is neither a term of access credentials nor an absolute URL.');
  }
  const { hostname, pathname } = new URL(name);
  const place = `${hostname}${decodeLeniently(pathname)}`.toLowerCase();
  if (reserved.some((namespace): boolean => place.startsWith(namespace))) {
    throw new BodyInvalid('A custom field is in a namespace that access credentials use themselves.');
  }
}

function checkValue(name: string, value: unknown): void {
  const isPlain = typeof value === 'boolean' || (typeof value === 'string' && !hasHalfCharacter(value)) ||
    (typeof value === 'number' && Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value)));
  if (!isPlain) {
    throw new BodyInvalid('A custom field must be a string, boolean or number that can be kept as it is.');
  }
  if (Buffer.byteLength(name) + Buffer.byteLength(String(value)) > maxBytes) {
    throw new BodyInvalid(`A custom field is larger than ${maxBytes} bytes.`);
  }
}
