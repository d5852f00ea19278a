/* eslint-disable @typescript-eslint/naming-convention -- names of JSON-LD */
import { CONTEXTS } from '../credentials/documentLoader';
import { credentialStatus } from '../credentials/statusEntries';
import type { OwnIris } from '../vocabulary';
import { ACL, GCONSENT } from '../vocabulary';
import type { AccessGrant, GrantKind } from './AccessGrant';

/** What a client may ask to find again in an access credential, beside the members that decide access. */
export interface GrantExtras {
  /** Where notifications about it may be sent. */
  inbox?: string;
  /** Members of the consent by absolute IRI. */
  customFields?: Record<string, string | number | boolean>;
}

const types: Record<GrantKind, string> = {
  request: 'SolidAccessRequest',
  grant: 'SolidAccessGrant',
  denial: 'SolidAccessDenial',
};

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
  grant: Omit<AccessGrant, 'document'>,
  iris: OwnIris,
  extras: GrantExtras = {},
): Record<string, unknown> {
  return {
    '@context': [ CONTEXTS.credentialsV1, CONTEXTS.inruptV2, CONTEXTS.ed25519Suite, CONTEXTS.revocationList ],
    id: grant.uri,
    type: [ 'VerifiableCredential', types[grant.kind] ],
    issuer: iris.accessIssuer,
    issuanceDate: grant.issuedAt.toISOString(),
    ...grant.expiresAt && { expirationDate: grant.expiresAt.toISOString() },
    credentialStatus: credentialStatus('grants', grant.status, iris),
    credentialSubject: {
      id: grant.subject,
      ...extras.inbox && { inbox: extras.inbox },
      [grant.kind === 'request' ? 'hasConsent' : 'providedConsent']: { ...consent(grant), ...extras.customFields },
    },
  };
}

function consent(grant: Omit<AccessGrant, 'document'>): Record<string, unknown> {
  return {
    mode: grant.modes.map((mode): string => ACL[mode]),
    hasStatus: statuses[grant.kind],
    forPersonalData: grant.resources,
    ...grant.purposes.length > 0 && { forPurpose: grant.purposes },
    [grant.kind === 'request' ? 'isConsentForDataSubject' : 'isProvidedTo']: grant.recipient,
    inherit: grant.inherit,
    ...grant.request && { request: grant.request },
  };
}
