import type { Clock, NewId } from '../platform/clock';
import { CONTEXTS } from '../platform/contextFiles';
import type { OwnIris } from '../vocabulary';
import type { CredentialDocument } from './Credential';
import type { DocumentLoader } from './documentLoader';
import type { CredentialRecord } from './draftCredential';
import { draftCredential } from './draftCredential';
import { verificationMethodOf } from './KeyDocuments';
import type { KeyStore } from './KeyStore';
import type { SignedStatements } from './proofs';
import { addProof, readSigned } from './proofs';
import { credentialStatus } from './statusEntries';
import type { StatusEntry, StatusListStore } from './StatusListStore';

/** Dependencies of a {@link CredentialIssuer}. */
export interface CredentialIssuerOptions {
  keys: KeyStore;
  statusLists: Pick<StatusListStore, 'allocate'>;
  iris: OwnIris;
  load: DocumentLoader;
  now: Clock;
  newId: NewId;
}

/** A statement that this server makes itself. */
export interface ServerStatement {
  /** Definitions of the terms of the type and the subject. */
  context: object;
  /** IRI of the credential. */
  id: string;
  /** Type, in addition to `VerifiableCredential`. */
  type: string;
  subject: Record<string, unknown>;
  /** Moment that the statement is about. */
  at: Date;
}

/**
 * Issues credentials of personal data.
 *
 * @see [Verifiable Credentials Data Model v2.0](https://www.w3.org/TR/vc-data-model-2.0/)
 */
export class CredentialIssuer {
  public constructor(private readonly options: CredentialIssuerOptions) {}

  /** Returns the credential before issuing, without id, date, status and proof. */
  public draft(record: CredentialRecord): CredentialDocument {
    return draftCredential(record, this.options.iris.credentialIssuer);
  }

  /**
   * Returns the statements of a credential or draft that its proof covers, or will cover.
   *
   * @throws NotCanonicalizable when it cannot be signed: too large, or a term has no meaning in contexts known here.
   */
  public async read(document: CredentialDocument): Promise<SignedStatements> {
    return readSigned(document, this.options.load);
  }

  /**
   * Signs a credential with the newest key, and gives it an entry in a status list.
   *
   * @throws NotCanonicalizable when the record cannot be signed.
   */
  public async issue(record: CredentialRecord): Promise<{ document: CredentialDocument; status: StatusEntry }> {
    const { iris, newId, now, statusLists } = this.options;
    const { '@context': context, type, issuer, credentialSubject } = this.draft(record);
    const status = await statusLists.allocate('credentials');
    const created = now();
    const document = await this.addProof({
      '@context': context,
      id: `urn:uuid:${newId()}`,
      type,
      issuer,
      validFrom: created.toISOString(),
      credentialStatus: credentialStatus('credentials', status, iris),
      credentialSubject,
    }, created);
    return { document, status };
  }

  /**
   * Signs a statement of this server about a moment, with the newest key. It has no status, because it stays true.
   *
   * @throws NotCanonicalizable when it cannot be signed.
   */
  public async sign({ at, context, id, subject, type }: ServerStatement): Promise<CredentialDocument> {
    return this.addProof({
      '@context': [ CONTEXTS.credentialsV2, context ],
      id,
      type: [ 'VerifiableCredential', type ],
      issuer: this.options.iris.credentialIssuer,
      validFrom: at.toISOString(),
      credentialSubject: subject,
    }, at);
  }

  private async addProof(document: CredentialDocument, created: Date): Promise<CredentialDocument> {
    const { keys, iris, load } = this.options;
    await keys.refresh();
    const [ key ] = keys.getSigningKeys('credentials');
    const verificationMethod = verificationMethodOf('credentials', key, iris);
    return addProof(document, { form: 'eddsa-rdfc-2022', verificationMethod, created }, key, load);
  }
}
