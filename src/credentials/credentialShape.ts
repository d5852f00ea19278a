import { clockSkewSeconds, hasPassed, isDay } from '../platform/clock';
import { isRecord } from '../platform/isRecord';
import { CONTEXTS } from '../platform/contextFiles';
import type { CredentialDocument, CredentialFinding } from './Credential';
import { asList, idOf } from './json';

/** Returns the id of a credential's issuer; `undefined` when it has none. */
export function issuerIdOf(document: CredentialDocument): string | undefined {
  return idOf(document.issuer);
}

/** Makes a finding. */
export function finding(check: CredentialFinding['check'], problem: string, since?: Date): CredentialFinding {
  return { check, problem, ...since && { since }};
}

/**
 * Checks whether a document has the members of a verifiable credential, of version 1.1 or 2.0.
 *
 * @see [Verifiable Credentials Data Model v2.0, section 4](https://www.w3.org/TR/vc-data-model-2.0/#basic-concepts)
 */
export function verifyShape(document: CredentialDocument): CredentialFinding[] {
  const rules: [boolean, string][] = [
    [ versionOf(document) !== undefined, 'the first context is not that of verifiable credentials' ],
    [ asList(document.type).includes('VerifiableCredential'), 'the type is not VerifiableCredential' ],
    [ document.id === undefined || isAbsolute(document.id), 'the id is not a URL' ],
    [ isAbsolute(issuerIdOf(document)), 'the issuer is not a URL' ],
    [ hasSubject(document), 'there is no credential subject' ],
    [ datesOf(document).every(({ value }): boolean => !Number.isNaN(value)), 'a date is not a date' ],
    [ versionOf(document) !== 1 || document.issuanceDate !== undefined, 'there is no issuance date' ],
  ];
  return rules.filter(([ holds ]): boolean => !holds)
    .map(([ , problem ]): CredentialFinding => finding('shape', problem));
}

/** Checks whether a credential is in force now. */
export function verifyValidity(document: CredentialDocument, now: Date): CredentialFinding[] {
  const findings: CredentialFinding[] = [];
  for (const { starts, value } of datesOf(document)) {
    if (starts && value > now.getTime() + clockSkewSeconds * 1000) {
      findings.push(finding('validity', 'the credential is not valid yet'));
    }
    if (!starts && hasPassed(new Date(value), now)) {
      findings.push(finding('validity', 'the credential has expired', new Date(value)));
    }
  }
  return findings;
}

/** Returns when a credential expires: the earlier of two dates; `undefined` when it has neither. */
export function expiryOf(document: CredentialDocument): Date | undefined {
  const ends = datesOf(document).filter(({ starts, value }): boolean => !starts && !Number.isNaN(value))
    .map(({ value }): number => value);
  return ends.length > 0 ? new Date(Math.min(...ends)) : undefined;
}

/** Returns when a credential begins to be valid: the latest of its dates. */
export function startOf(document: CredentialDocument): Date | undefined {
  const starts = datesOf(document).filter(({ starts: isStart, value }): boolean => isStart && !Number.isNaN(value))
    .map(({ value }): number => value);
  return starts.length > 0 ? new Date(Math.max(...starts)) : undefined;
}

function versionOf(document: CredentialDocument): 1 | 2 | undefined {
  const first = asList(document['@context'])[0];
  if (first === CONTEXTS.credentialsV2) {
    return 2;
  }
  return first === CONTEXTS.credentialsV1 ? 1 : undefined;
}

function isAbsolute(value: unknown): boolean {
  return typeof value === 'string' && URL.canParse(value);
}

function hasSubject({ credentialSubject }: CredentialDocument): boolean {
  const subjects = asList(credentialSubject);
  return subjects.length > 0 && subjects.every((subject): boolean => isRecord(subject));
}

const dateMembers = { issuanceDate: true, validFrom: true, expirationDate: false, validUntil: false };
const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(Z|[+-]\d\d:\d\d)?$/u;

/** The dates between which a credential is valid, in milliseconds; `NaN` for an invalid date. */
function datesOf(document: CredentialDocument): { starts: boolean; value: number }[] {
  return Object.entries(dateMembers)
    .filter(([ member ]): boolean => document[member] !== undefined)
    .map(([ member, starts ]): { starts: boolean; value: number } => ({ starts, value: readDate(document[member]) }));
}

/** An `xsd:dateTime` in milliseconds, `NaN` for anything else. A date without a time zone is one in UTC. */
export function readDate(value: unknown): number {
  const zone = typeof value === 'string' ? dateTime.exec(value) : null;
  return zone && isDay(zone[0].slice(0, 10)) ? Date.parse(zone[1] ? zone[0] : `${zone[0]}Z`) : Number.NaN;
}
