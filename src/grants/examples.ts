import { asList } from '../credentials/json';
import { isRecord } from '../platform/isRecord';
import { parseOwn } from '../platform/ownJson';
import { BodyInvalid } from '../problems';
import { ACL } from '../vocabulary';
import type { GrantKind } from './AccessGrant';
import { accessModes } from './AccessGrant';
import { credentialTypes, grantKinds } from './grantDocument';
import type { ListedGrant } from './GrantStore';
import { wholeStatus } from './isSameCredential';
import { isMode } from './GrantStatement';

/** Converts a resource of this server to canonical form; returns anything else unchanged. */
export type ToCanonical = (value: unknown) => unknown;

/** Members with the required values of each, in canonical form. */
type Wanted = ReadonlyMap<string, ReadonlySet<unknown>>;

/** A parsed example for searching credentials. */
export interface Example {
  kinds: GrantKind[];
  /** `id` of the credential, if the example names one. */
  id?: string;
  /** The members of an example that an index can find. */
  from?: string;
  to?: string;
  resource?: string;
  purpose?: string;
  /** Members of the credential with a single value, other than those of its subject. */
  members: Wanted;
  /** Members of the subject, without the consent. */
  subject: Wanted;
  consent: Wanted;
}

const maxExamples = 5;

/**
 * Reads an example.
 *
 * @throws BodyInvalid
 */
export function readExample(example: unknown, toCanonical: ToCanonical): Example {
  const { type, credentialSubject, id, issuer, issuanceDate, expirationDate } = recordOf(example, 'the credential');
  const { providedConsent, hasConsent, ...subject } = recordOf(credentialSubject ?? {}, 'credentialSubject');
  const consent = recordOf(providedConsent ?? hasConsent ?? {}, 'the consent');
  const members = Object.fromEntries(Object.entries({ id, issuer, issuanceDate, expirationDate })
    .filter(([ , value ]): boolean => value !== undefined));
  return {
    kinds: kindsOf(type, providedConsent !== undefined, hasConsent !== undefined),
    ...id !== undefined && { id: firstText(id) ?? '' },
    from: firstText(subject.id),
    to: firstText(consent.isProvidedTo ?? consent.isConsentForDataSubject),
    resource: firstText(asList(consent.forPersonalData).map(toCanonical)),
    purpose: firstText(consent.forPurpose),
    members: wanted(members, wholeTerm),
    subject: wanted(subject, wholeTerm),
    consent: wanted(consent, (value): unknown => wholeTerm(toCanonical(value))),
  };
}

/**
 * Reads the examples of the one supported type of query, without duplicates.
 *
 * @throws BodyInvalid
 */
export function readExamples(queries: unknown, toCanonical: ToCanonical): Example[] {
  const examples = asList(queries).flatMap((query): unknown[] => {
    const { type, credentialQuery } = recordOf(query, 'the query');
    if (type !== 'QueryByExample') {
      throw new BodyInvalid('The type of a query must be QueryByExample.');
    }
    return asList(credentialQuery).map((one): unknown => recordOf(one, 'credentialQuery').example);
  });
  if (examples.length === 0 || examples.length > maxExamples) {
    throw new BodyInvalid(`There must be 1 to ${maxExamples} examples.`);
  }
  const distinct = new Map(examples
    .map((one): Example => readExample(one, toCanonical))
    .map((one): [string, Example] => [ keyOf(one), one ]));
  return [ ...distinct.values() ];
}

/** Returns true when a credential matches one of the examples: has every value of every member. */
export function isLike(grant: ListedGrant, examples: Example[], toCanonical: ToCanonical): boolean {
  const ofKind = examples.filter(({ kinds }): boolean => kinds.includes(grant.kind));
  if (ofKind.length === 0) {
    return false;
  }
  const document = parseOwn<{ credentialSubject: Record<string, unknown> }>(grant.document);
  const { credentialSubject: issued } = document;
  const issuedConsent = issued[grant.kind === 'request' ? 'hasConsent' : 'providedConsent'];
  return isRecord(issuedConsent) && ofKind.some(({ members, subject, consent }): boolean =>
    contains(document, members, wholeTerm) && contains(issued, subject, wholeTerm) &&
    contains(issuedConsent, consent, (value): unknown => wholeTerm(toCanonical(value))));
}

function kindsOf(type: unknown, isProvided: boolean, isRequested: boolean): GrantKind[] {
  const types = asList(type);
  return grantKinds.filter((kind): boolean =>
    types.every((one): boolean => one === 'VerifiableCredential' || one === credentialTypes[kind]) &&
    !(isProvided && kind === 'request') && !(isRequested && kind !== 'request'));
}

function wanted(members: Record<string, unknown>, normalise: (value: unknown) => unknown): Wanted {
  return new Map(Object.entries(members).map(([ name, values ]): [string, Set<unknown>] =>
    [ name, new Set([ ...new Set(asList(values)) ].map(normalise)) ]));
}

function contains(
  issued: Record<string, unknown>,
  example: Wanted,
  normalise: (value: unknown) => unknown,
): boolean {
  for (const [ name, values ] of example) {
    const present = Object.hasOwn(issued, name) ? asList(issued[name]) : [];
    // More wanted values than present ones cannot match.
    if (values.size > present.length || !isSubset(values, new Set(present.map(normalise)))) {
      return false;
    }
  }
  return true;
}

function isSubset(values: ReadonlySet<unknown>, present: ReadonlySet<unknown>): boolean {
  return [ ...values ].every((value): boolean => present.has(value));
}

/** Returns the same key for equivalent examples. */
function keyOf({ members, subject, consent, ...rest }: Example): string {
  return JSON.stringify([ rest, ...[ members, subject, consent ].map((each): string[] =>
    [ ...each ].map(([ name, values ]): string => JSON.stringify([ name, ...sorted(values) ])).sort()) ]);
}

function sorted(values: ReadonlySet<unknown>): string[] {
  return [ ...values ].map((value): string => JSON.stringify(value)).sort();
}

/** Returns a mode or status as the full IRI that credentials of this service have. */
function wholeTerm(value: unknown): unknown {
  const mode = accessModes.find((name): boolean => isMode(value, name));
  return mode ? ACL[mode] : wholeStatus(value);
}

function firstText(value: unknown): string | undefined {
  return asList(value).find((item): item is string => typeof item === 'string' && !item.includes('\0'));
}

function recordOf(value: unknown, name: string): Record<string, unknown> {
  if (!isRecord(value)) {
    throw new BodyInvalid(`In the example, ${name} must be an object.`);
  }
  return value;
}
