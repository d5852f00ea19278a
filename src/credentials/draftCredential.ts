import { CONTEXTS } from '../platform/contextFiles';
import type { WebId } from '../platform/webId';
import type { CredentialDocument } from './Credential';
import { asList, without } from './json';

/** A record of which this server makes a credential. */
export interface CredentialRecord {
  /** The citizen's: becomes `credentialSubject.id`. */
  webId: WebId;
  /** Absolute IRI of the data type: the second type of the credential. */
  dataType: string;
  /** JSON-LD of the subject with the context it needs; an id in it gives way to the WebID. */
  subject: Record<string, unknown>;
}

/** The credential of a record as it would be issued, without id, date, status and proof. */
export function draftCredential({ webId, dataType, subject }: CredentialRecord, issuer: string): CredentialDocument {
  const others = asList(subject['@context']).filter((context): boolean => context !== CONTEXTS.credentialsV2);
  return {
    '@context': [ CONTEXTS.credentialsV2, ...others ],
    type: [ 'VerifiableCredential', dataType ],
    issuer,
    credentialSubject: { id: webId, ...without(subject, '@context', '@id', 'id') },
  };
}
