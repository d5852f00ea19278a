import { languages } from '../data-types/languages';
import type { I18nString } from '../data-types/DataType';
import type { AccessMode, GrantTerms } from '../grants/AccessGrant';
import { findEnd } from '../grants/AccessGrant';
import type { OwnIris } from '../vocabulary';
import { DPV } from '../vocabulary';
import type { Named, NamedResource } from './Names';

/** An access grant, and the operator's descriptions of its data user, purpose and resources. */
export interface ReceiptFacts {
  grant: GrantTerms;
  /** Empty when the operator does not describe the data user. */
  granteeNames: I18nString[];
  /** Addresses and numbers for contacting the data user. */
  contacts: string[];
  /** URL. */
  privacyStatement?: string;
  purposes: Named[];
  resources: NamedResource[];
}

type Node = Record<string, unknown>;

function link(iri: string): object {
  return { '@id': iri, '@type': '@id' };
}

/** Definitions of the terms of a receipt, inside the credential, so that it can still be read in ten years. */
const context = {
  dct: 'http://purl.org/dc/terms/',
  dpv: DPV.prefix,
  rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  schema: 'https://schema.org/',
  skos: 'http://www.w3.org/2004/02/skos/core#',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
  'dct:conformsTo': link('http://purl.org/dc/terms/conformsTo'),
  'dct:created': { '@id': 'http://purl.org/dc/terms/created', '@type': 'xsd:dateTime' },
  'dct:publisher': link('http://purl.org/dc/terms/publisher'),
  'dpv:hasDataController': link(`${DPV.prefix}hasDataController`),
  'dpv:hasJurisdiction': link(`${DPV.prefix}hasJurisdiction`),
  'dpv:hasLegalBasis': link(`${DPV.prefix}hasLegalBasis`),
  'dpv:hasLocation': link(`${DPV.prefix}hasLocation`),
  'dpv:hasProcessing': link(`${DPV.prefix}hasProcessing`),
  'dpv:hasRecipient': link(`${DPV.prefix}hasRecipient`),
  'dpv:isExercisedAt': link(`${DPV.prefix}isExercisedAt`),
  'dpv:isIndicatedAtTime': { '@id': `${DPV.prefix}isIndicatedAtTime`, '@type': 'xsd:dateTime' },
  'dpv:isIndicatedBy': link(`${DPV.prefix}isIndicatedBy`),
  'schema:url': link('https://schema.org/url'),
  'skos:broader': link('http://www.w3.org/2004/02/skos/core#broader'),
  'skos:prefLabel': { '@id': 'http://www.w3.org/2004/02/skos/core#prefLabel', '@container': '@language' },
} as const;

const processing: Record<AccessMode, string> = { Read: 'dpv:Access', Write: 'dpv:Modify', Append: 'dpv:Store' };

/** Contexts of a receipt, after that of credentials. */
export const receiptContext: object = context;

/**
 * Returns the receipt of a consent: the state of an access grant at a moment, as in ISO/IEC TS 27560, in terms of the
 * Data Privacy Vocabulary. Its only personal data are WebIDs and the URIs of resources.
 *
 * @param facts - The grant and its descriptions.
 * @param receipt - Members of the receipt itself.
 * @param receipt.id - UUID.
 * @param receipt.now - Moment that the receipt is about.
 * @param iris - IRIs of this server.
 *
 * @see [Consent Records and Receipts as per ISO/IEC TS 27560:2023 using DPV](https://w3id.org/dpv/guides/consent-27560)
 */
export function consentReceipt(facts: ReceiptFacts, { id, now }: { id: string; now: Date }, iris: OwnIris): Node {
  return {
    id: `${iris.base}v1/access-grants/${facts.grant.id}/receipt`,
    type: 'dpv:ConsentReceipt',
    'dct:conformsTo': DPV.receipt,
    ...identifier(id),
    'dct:created': now.toISOString(),
    'dct:publisher': iris.credentialIssuer,
    'dpv:hasRecordOfActivity': record(facts, now, iris),
  };
}

function record(facts: ReceiptFacts, now: Date, iris: OwnIris): Node {
  const { grant } = facts;
  return {
    id: grant.uri,
    type: 'dpv:ConsentRecord',
    'dct:conformsTo': DPV.record,
    ...identifier(grant.id),
    'dpv:hasDataSubject': { id: grant.subject, type: 'dpv:DataSubject', ...identifier(grant.subject) },
    'dpv:hasEntity': [ dataUser(facts) ],
    'dpv:hasNotice': notices(facts),
    'dpv:hasProcess': [ process(facts, iris) ],
    'dpv:hasConsentStatus': consentStatuses(grant, now, iris),
  };
}

/** Uses two terms for the same: the guide's table has one, and its examples have the other. */
function identifier(value: string): Node {
  return { 'dct:identifier': value, 'dpv:hasIdentifier': value };
}

function dataUser({ contacts, grant: { recipient }, granteeNames }: ReceiptFacts): Node {
  return {
    id: recipient,
    type: [ 'dpv:LegalEntity', 'dpv:DataController' ],
    ...identifier(recipient),
    ...granteeNames.length > 0 && {
      'dpv:hasName': granteeNames[0].value,
      'skos:prefLabel': byLanguage(granteeNames),
    },
    ...contacts.length > 0 && { 'schema:contactPoint': contacts.map((contact): Node => contactPoint(contact)) },
  };
}

function contactPoint(contact: string): Node {
  const type = 'schema:ContactPoint';
  if (/^[^\s@]+@[^\s@]+$/u.test(contact)) {
    return { type, 'schema:email': contact.replace(/^mailto:/iu, '') };
  }
  if (/^https?:\/\/\S+$/iu.test(contact)) {
    return { type, 'schema:url': contact };
  }
  return /^(?:tel:)?[+\d][\d\s()./-]+$/iu.test(contact) ?
      { type, 'schema:telephone': contact.replace(/^tel:/iu, '') } :
      { type: 'schema:PostalAddress', 'schema:streetAddress': contact };
}

/** The notice shown to the citizen: the contract. For a grant made by an app, only its request may be known. */
function notices({ grant: { contract, request, uri }, privacyStatement }: ReceiptFacts): Node[] {
  const shown = contract ?
      {
        id: new URL(`/v1/contracts/${contract.id}`, uri).href,
        'dct:identifier': contract.digest,
        'dct:language': [ ...languages ],
      } :
      { ...request && { id: request }, 'dct:language': 'und' };
  return [
    { type: 'dpv:ConsentNotice', ...shown },
    ...privacyStatement ? [{ id: privacyStatement, type: 'dpv:PrivacyNotice', 'dct:language': 'und' }] : [],
  ];
}

function process({ grant, purposes, resources }: ReceiptFacts, iris: OwnIris): Node {
  const pages = [ new URL('.app/overview', iris.base).href, new URL('status', iris.accessIssuer).href ];
  return {
    type: 'dpv:Process',
    'dpv:hasPurpose': purposes.length === 0 ?
        [{ type: 'dpv:Purpose', 'skos:prefLabel': { en: 'not stated' }}] :
        purposes.map(({ labels, uri }): Node => ({ id: uri, type: 'dpv:Purpose', ...labelled(labels) })),
    'dpv:hasPersonalData': resources.map(({ labels, type, uri }): Node => ({
      id: uri,
      type: 'dpv:PersonalData',
      'skos:broader': type ?? `${DPV.prefix}PersonalData`,
      ...labelled(labels),
    })),
    'dpv:hasProcessing': grant.modes.map((mode): string => processing[mode]),
    'dpv:hasLegalBasis': 'dpv:ExplicitlyExpressedConsent',
    'dpv:hasDataController': grant.recipient,
    'dpv:hasRecipient': grant.recipient,
    'dpv:hasStorageCondition': [
      { type: 'dpv:StorageLocation', 'dpv:hasLocation': iris.base },
      { type: 'dpv:StorageDuration', 'dpv:hasDuration': duration(grant) },
    ],
    'dpv:hasJurisdiction': DPV.europeanUnion,
    'dpv:hasConsentControl': [{ type: 'dpv:WithdrawConsent', 'dpv:isExercisedAt': pages }],
    'dpv:hasRight': [{ type: [ 'dpv:DataSubjectRight', DPV.rightToWithdraw ], 'dpv:isExercisedAt': pages }],
  };
}

/** Events of the consent so far, in order. */
function consentStatuses(grant: GrantTerms, now: Date, iris: OwnIris): Node[] {
  const given = consentStatus([ 'dpv:ConsentGiven', 'dpv:ExplicitlyExpressedConsent' ], grant.issuedAt, grant.subject);
  const events = [{ ...given, 'dpv:hasDuration': duration(grant) }];
  const forGood = { 'dpv:hasDuration': { type: 'dpv:EndlessDuration' }};
  const end = findEnd(grant, now);
  if (end) {
    const [ type, by ] = {
      REVOKED: [ 'dpv:ConsentWithdrawn', grant.subject ],
      EXPIRED: [ 'dpv:ConsentExpired', iris.credentialIssuer ],
      INVALID: [ 'dpv:ConsentRevoked', iris.credentialIssuer ],
    }[end.status];
    events.push({ ...consentStatus(type, end.at, by), ...forGood });
  }
  return events;
}

function consentStatus(type: string | string[], at: Date, by: string): Node {
  return { type, 'dpv:isIndicatedAtTime': at.toISOString(), 'dpv:isIndicatedBy': by };
}

function duration({ expiresAt }: GrantTerms): Node {
  return expiresAt ?
      { type: 'dpv:UntilTimeDuration', 'rdf:value': expiresAt.toISOString() } :
      { type: 'dpv:UntilEventDuration', 'rdf:value': 'Withdrawal of consent' };
}

function labelled(labels: I18nString[]): Node {
  return labels.length > 0 ? { 'skos:prefLabel': byLanguage(labels) } : {};
}

function byLanguage(labels: I18nString[]): Record<string, string> {
  return Object.fromEntries(labels.map(({ language, value }): [string, string] => [ language ?? '@none', value ]));
}
