import { CONTEXTS } from '../platform/contextFiles';
import { namesOf } from '../platform/lists';
import { credentialStatus } from '../credentials/statusEntries';
import type { OwnIris } from '../vocabulary';
import { ACL, GCONSENT } from '../vocabulary';
import type { GrantKind, GrantTerms } from './AccessGrant';

/** Members that a client may add to an access credential. They do not affect access. */
export interface GrantExtras {
  /** Address for notifications. */
  inbox?: string;
  /** Members of the consent, keyed by absolute IRI. */
  customFields?: Record<string, string | number | boolean>;
  /** Resources as the client spelled them. */
  resources?: string[];
  /** URI templates of the requested resources. */
  templates?: string[];
  /** True when the answer was compared with the request. */
  isRequestVerified?: boolean;
}

/**
 * Definitions of terms that only the newest edition of the published context has, so that the credential means the same
 * with either edition. They come before it, because its terms are protected.
 */
const newerTerms = {
  verifiedRequest: { '@id': 'http://www.w3.org/ns/solid/vc#verifiedRequest', '@type': '@id' },
  template: 'http://www.w3.org/ns/hydra/core#template',
};

/** Type of each kind of credential, beside `VerifiableCredential`. */
export const credentialTypes: Record<GrantKind, string> = {
  request: 'SolidAccessRequest',
  grant: 'SolidAccessGrant',
  denial: 'SolidAccessDenial',
};

/** All kinds of access credentials. */
export const grantKinds = namesOf(credentialTypes);

const statuses: Record<GrantKind, string> = {
  request: GCONSENT.Requested,
  grant: GCONSENT.ExplicitlyGiven,
  denial: GCONSENT.Denied,
};

/**
 * Returns the credential of an access request, grant or denial without its proof, in the form that Inrupt's clients
 * read: fixed contexts, lists always as arrays, modes and statuses as full IRIs.
 */
export function grantDocument(
  grant: GrantTerms,
  iris: OwnIris,
  extras: GrantExtras = {},
): Record<string, unknown> {
  return {
    '@context': [
      CONTEXTS.credentialsV1,
      ...extras.templates ?? extras.isRequestVerified ? [ newerTerms ] : [],
      CONTEXTS.inruptV2,
      CONTEXTS.ed25519Suite,
      CONTEXTS.revocationList,
    ],
    id: grant.uri,
    type: [ 'VerifiableCredential', credentialTypes[grant.kind] ],
    issuer: iris.accessIssuer,
    issuanceDate: grant.issuedAt.toISOString(),
    ...grant.expiresAt && { expirationDate: grant.expiresAt.toISOString() },
    credentialStatus: credentialStatus('grants', grant.status, iris),
    credentialSubject: {
      id: grant.subject,
      ...extras.inbox && { inbox: extras.inbox },
      [grant.kind === 'request' ? 'hasConsent' : 'providedConsent']: consent(grant, extras),
    },
  };
}

function consent(grant: GrantTerms, extras: GrantExtras): Record<string, unknown> {
  const resources = extras.resources ?? grant.resources;
  return {
    mode: grant.modes.map((mode): string => ACL[mode]),
    hasStatus: statuses[grant.kind],
    ...resources.length > 0 && { forPersonalData: resources },
    // Clients do not read a list as a custom field.
    ...extras.templates && { template: { '@list': extras.templates }},
    ...grant.purposes.length > 0 && { forPurpose: grant.purposes },
    ...grant.recipient !== '' && {
      [grant.kind === 'request' ? 'isConsentForDataSubject' : 'isProvidedTo']: grant.recipient,
    },
    inherit: grant.inherit,
    ...grant.request && { request: grant.request },
    ...grant.request && extras.isRequestVerified && { verifiedRequest: grant.request },
    ...extras.customFields,
  };
}
