import { CONTEXTS } from '../platform/contextFiles';
import type { WebId } from '../platform/webId';
import type { CredentialDocument } from './Credential';
import { asList, without } from './json';

/** A record to be issued as a credential. */
export interface CredentialRecord {
  /** WebID of the citizen: becomes `credentialSubject.id`. */
  webId: WebId;
  /** Absolute IRI of the data type: the second type of the credential. */
  dataType: string;
  /** JSON-LD of the subject with the context it needs; the WebID replaces any id in it. */
  subject: Record<string, unknown>;
}

/** Returns the credential of a record before issuing, without id, date, status and proof. */
export function draftCredential({ webId, dataType, subject }: CredentialRecord, issuer: string): CredentialDocument {
  const others = asList(subject['@context']).filter((context): boolean => context !== CONTEXTS.credentialsV2);
  return {
    '@context': [ CONTEXTS.credentialsV2, ...others ],
    type: [ 'VerifiableCredential', dataType ],
    issuer,
    credentialSubject: { id: webId, ...without(subject, '@context', '@id', 'id') },
  };
}
