import { namesOf } from './platform/lists';

/** Every IRI that this service uses and does not own, by its prefix. */

const acl = 'http://www.w3.org/ns/auth/acl#';
const dpv = 'https://w3id.org/dpv#';
const ess = 'http://inrupt.com/ns/ess#';
const gconsent = 'https://w3id.org/GConsent#';
const oidc = 'http://www.w3.org/ns/solid/oidc#';
const rdf = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const rdfs = 'http://www.w3.org/2000/01/rdf-schema#';
const sh = 'http://www.w3.org/ns/shacl#';
const skos = 'http://www.w3.org/2004/02/skos/core#';
const solid = 'http://www.w3.org/ns/solid/terms#';
const vc = 'http://www.w3.org/ns/solid/vc#';
const xsd = 'http://www.w3.org/2001/XMLSchema#';

/** Namespace of the terms of verifiable credentials. */
export const CREDENTIALS = 'https://www.w3.org/2018/credentials#';
/** Terms of schema.org that a credential may describe itself by. */
export const SCHEMA = { name: 'https://schema.org/name', description: 'https://schema.org/description' } as const;
/** Namespace of datatypes that name the language and base direction of a text. */
export const I18N = 'https://www.w3.org/ns/i18n#';
/** Web Access Control modes. */
export const ACL = { Read: `${acl}Read`, Write: `${acl}Write`, Append: `${acl}Append`, Control: `${acl}Control` } as const;

/** Data Privacy Vocabulary 2: terms of consent receipts, and the profiles of ISO/IEC TS 27560. */
export const DPV = {
  prefix: dpv,
  record: 'https://w3id.org/dpv/schema/dpv-27560#record',
  receipt: 'https://w3id.org/dpv/schema/dpv-27560#receipt',
  europeanUnion: 'https://w3id.org/dpv/loc#EU',
  /** General Data Protection Regulation, article 7(3). */
  rightToWithdraw: 'https://w3id.org/dpv/legal/eu/gdpr#A7-3',
} as const;
/** Consent statuses of access requests, grants and denials. */
export const GCONSENT = {
  prefix: gconsent,
  Requested: `${gconsent}ConsentStatusRequested`,
  ExplicitlyGiven: `${gconsent}ConsentStatusExplicitlyGiven`,
  Denied: `${gconsent}ConsentStatusDenied`,
} as const;

/** Resource Description Framework. */
export const RDF = {
  prefix: rdf,
  type: `${rdf}type`,
  langString: `${rdf}langString`,
  first: `${rdf}first`,
  rest: `${rdf}rest`,
  nil: `${rdf}nil`,
} as const;
/** RDF Schema. */
export const RDFS = { label: `${rdfs}label`, comment: `${rdfs}comment` } as const;
/** Shapes Constraint Language. */
export const SH = { prefix: sh, NodeShape: `${sh}NodeShape` } as const;
/** Simple Knowledge Organization System. */
export const SKOS = {
  Concept: `${skos}Concept`,
  ConceptScheme: `${skos}ConceptScheme`,
  inScheme: `${skos}inScheme`,
  hasTopConcept: `${skos}hasTopConcept`,
  prefLabel: `${skos}prefLabel`,
  notation: `${skos}notation`,
  definition: `${skos}definition`,
} as const;
/** Solid terms. */
export const SOLID = {
  oidcIssuer: `${solid}oidcIssuer`,
} as const;
/** Terms of client ID documents (Solid-OIDC, section 5). */
export const OIDC = {
  contacts: `${oidc}contacts`,
  policyUri: `${oidc}policy_uri`,
  redirectUris: `${oidc}redirect_uris`,
} as const;
/** Terms of workspaces: where the storage of a WebID is. */
export const PIM = { storage: 'http://www.w3.org/ns/pim/space#storage' } as const;
/** Terms of the first servers of access grants in the description of a storage. */
const ESS = {
  consentIssuer: `${ess}consentIssuer`,
  consentManagementUi: `${ess}ConsentManagementUI`,
} as const;
/** The vocabulary of issuers of access grants. */
export const VC = {
  prefix: vc,
  issuerService: `${vc}issuerService`,
  statusService: `${vc}statusService`,
  verifierService: `${vc}verifierService`,
  derivationService: `${vc}derivationService`,
  queryService: `${vc}queryService`,
} as const;
/** Datatypes of XML Schema. */
export const XSD = {
  prefix: xsd,
  string: `${xsd}string`,
  boolean: `${xsd}boolean`,
  date: `${xsd}date`,
  dateTime: `${xsd}dateTime`,
  integer: `${xsd}integer`,
  decimal: `${xsd}decimal`,
  double: `${xsd}double`,
} as const;

/** Services of the issuer of access grants by their names in {@link VC}: where they are under its URL. */
export const accessServices = {
  issuerService: 'issue',
  statusService: 'status',
  verifierService: 'verify',
  derivationService: 'derive',
  queryService: 'query',
} as const satisfies Partial<Record<keyof typeof VC, string>>;

/** Names at the root of the server that are this package's own: no pod has one of them. */
export const ownNames: readonly string[] = [ 'v1', '.access', '.app', '.health', '.uma' ];

/** The IRIs that a server of this package serves itself, under its own base URL. */
export interface OwnIris {
  /** The server's base URL: an origin with a slash. */
  base: string;
  /** Core vocabulary namespace. */
  core: string;
  /** JSON-LD context of contract documents. */
  contractContext: string;
  /** Base concept scheme of data types. */
  dataTypes: string;
  /** Issuer URL of access grants. */
  accessIssuer: string;
  /** Issuer URL of personal-data credentials. */
  credentialIssuer: string;
  /** Prefix of problem types. */
  problems: string;
  /** Page on which citizens answer access requests. */
  requestsPage: string;
}

/**
 * The IRIs that belong to one base URL.
 *
 * @param base - An origin with a trailing slash.
 */
export function ownIris(base: string): OwnIris {
  return {
    base,
    core: `${base}v1/ns/core#`,
    contractContext: `${base}v1/contexts/contract/2024-10-08`,
    dataTypes: `${base}v1/data-types/base`,
    accessIssuer: `${base}.access/`,
    credentialIssuer: `${base}v1/issuer`,
    problems: `${base}v1/problems/`,
    requestsPage: `${base}.app/requests`,
  };
}

/** Returns what the description of a server or storage states about its service of access grants. */
export function accessStatements({ accessIssuer, requestsPage }: OwnIris): [predicate: string, object: string][] {
  return [
    [ ESS.consentIssuer, accessIssuer ],
    [ ESS.consentManagementUi, requestsPage ],
    ...namesOf(accessServices).map((name): [string, string] => [ VC[name], `${accessIssuer}${accessServices[name]}` ]),
  ];
}
