import type { AccessMode, Translated } from './terms';

/** A party, purpose or data type in a receipt. */
export interface Named {
  /** Absent for an unstated purpose. */
  uri?: string;
  labels: Translated[];
}

/** How a consent ended: withdrawn by the citizen, expired, or void because the grantee left the service. */
export type Ending = 'withdrawn' | 'expired' | 'void';

/** The parts of a consent receipt that the page shows. */
export interface Receipt {
  /** Number of this receipt: each receipt of the same consent has another. */
  number: string;
  /** WebID of the citizen. */
  owner: string;
  /** WebID of the grantee. */
  grantee: string;
  /** Empty when the operator does not describe the grantee. */
  granteeNames: Translated[];
  contacts: string[];
  privacyStatement?: string;
  /** True when the consent was given under a contract. */
  hasContract: boolean;
  resources: (Named & { uri: string })[];
  purposes: Named[];
  modes: AccessMode[];
  /** ISO 8601 moment. */
  agreedAt: string;
  /** ISO 8601 moment at which access ends; absent when it has no end. */
  until?: string;
  /** Absent while the consent is in force. */
  ended?: { how: Ending; at: string };
}

type Node = Record<string, unknown>;

const modes: Record<string, AccessMode> = { 'dpv:Access': 'Read', 'dpv:Modify': 'Write', 'dpv:Store': 'Append' };
const endings: Record<string, Ending> = {
  'dpv:ConsentWithdrawn': 'withdrawn',
  'dpv:ConsentExpired': 'expired',
  'dpv:ConsentRevoked': 'void',
};

/**
 * Reads a receipt of this service.
 *
 * @param credential - Credential with the receipt as its subject, in the terms of the Data Privacy Vocabulary.
 */
export function readReceipt(credential: object): Receipt {
  const { credentialSubject: receipt } = credential as { credentialSubject: Node };
  const record = receipt['dpv:hasRecordOfActivity'] as Node;
  const [ grantee ] = nodes(record['dpv:hasEntity']);
  const [ process ] = nodes(record['dpv:hasProcess']);
  const notices = nodes(record['dpv:hasNotice']);
  const [ given, ...later ] = nodes(record['dpv:hasConsentStatus']);
  const last = later.at(-1);
  const duration = given['dpv:hasDuration'] as Node;
  return {
    number: String(receipt['dct:identifier']),
    owner: String((record['dpv:hasDataSubject'] as Node).id),
    grantee: String(grantee.id),
    granteeNames: labelsOf(grantee),
    contacts: nodes(grantee['schema:contactPoint']).map(contactOf),
    privacyStatement: notices.find((notice): boolean => isA(notice, 'dpv:PrivacyNotice'))?.id as string | undefined,
    hasContract: notices.some((notice): boolean => isA(notice, 'dpv:ConsentNotice') && 'dct:identifier' in notice),
    resources: nodes(process['dpv:hasPersonalData']).map((node): Named & { uri: string } =>
      ({ uri: String(node.id), labels: labelsOf(node) })),
    purposes: nodes(process['dpv:hasPurpose']).map((node): Named =>
      ({ uri: node.id as string | undefined, labels: labelsOf(node) })),
    modes: [ process['dpv:hasProcessing'] ].flat().map((mode): AccessMode => modes[String(mode)]),
    agreedAt: String(given['dpv:isIndicatedAtTime']),
    ...isA(duration, 'dpv:UntilTimeDuration') && { until: String(duration['rdf:value']) },
    ...last && { ended: { how: endings[String(last.type)], at: String(last['dpv:isIndicatedAtTime']) }},
  };
}

function nodes(value: unknown): Node[] {
  return [ value ?? [] ].flat() as Node[];
}

function isA({ type }: Node, name: string): boolean {
  return [ type ].flat().includes(name);
}

function labelsOf({ 'skos:prefLabel': labels }: Node): Translated[] {
  return Object.entries(labels ?? {}).map(([ language, value ]): Translated =>
    ({ value: String(value), language: language === '@none' ? null : language }));
}

function contactOf(node: Node): string {
  const member = [ 'schema:email', 'schema:telephone', 'schema:url', 'schema:streetAddress' ]
    .find((name): boolean => name in node);
  return String(node[member ?? 'id']);
}
