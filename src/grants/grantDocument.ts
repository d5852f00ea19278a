import { CONTEXTS } from '../platform/contextFiles';
import { namesOf } from '../platform/lists';
import { credentialStatus } from '../credentials/statusEntries';
import type { OwnIris } from '../vocabulary';
import { ACL, GCONSENT } from '../vocabulary';
import type { GrantKind, GrantTerms } from './AccessGrant';

/** Members that a client may add to an access credential. They do not decide access. */
export interface GrantExtras {
  /** Address for notifications about it. */
  inbox?: string;
  /** Members of the consent by absolute IRI. */
  customFields?: Record<string, string | number | boolean>;
  /** Resources as the client spelled them. */
  resources?: string[];
  /** URI templates of the resources that a request is for. */
  templates?: string[];
  /** The request that was answered was compared with the answer. */
  isRequestVerified?: boolean;
}

/**
 * Terms that the published context has in its newest edition only, as they are defined there: the credential must mean
 * the same to those who have that edition. They come before it, because its terms are protected.
 */
const newerTerms = {
  verifiedRequest: { '@id': 'http://www.w3.org/ns/solid/vc#verifiedRequest', '@type': '@id' },
  template: 'http://www.w3.org/ns/hydra/core#template',
};

/** The type that each kind of credential has beside `VerifiableCredential`. */
export const credentialTypes: Record<GrantKind, string> = {
  request: 'SolidAccessRequest',
  grant: 'SolidAccessGrant',
  denial: 'SolidAccessDenial',
};

/** Every kind of access credential. */
export const grantKinds = namesOf(credentialTypes);

const statuses: Record<GrantKind, string> = {
  request: GCONSENT.Requested,
  grant: GCONSENT.ExplicitlyGiven,
  denial: GCONSENT.Denied,
};

/**
 * The credential of an access request, grant or denial, without its proof, as Inrupt's clients read it: fixed
 * contexts, lists always as arrays, modes and statuses as whole IRIs.
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
    // As a list, they are not read as custom fields.
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
