import type { Clock, NewId } from '../platform/clock';
import { CONTEXTS } from '../platform/contextFiles';
import type { OwnIris } from '../vocabulary';
import type { CredentialDocument, CredentialFinding } from './Credential';
import { finding, issuerIdOf, verifyShape, verifyValidity } from './credentialShape';
import { CredentialStatus } from './CredentialStatus';
import type { DocumentLoader } from './documentLoader';
import type { CredentialRecord } from './draftCredential';
import { draftCredential } from './draftCredential';
import type { FetchJson } from './IssuerKeys';
import { IssuerKeys } from './IssuerKeys';
import { verificationMethodOf } from './KeyDocuments';
import type { KeyStore } from './KeyStore';
import type { SignedStatements } from './proofs';
import { addProof, readSigned } from './proofs';
import { ProofVerifier } from './ProofVerifier';
import { credentialStatus } from './statusEntries';
import type { StatusEntry, StatusListStore } from './StatusListStore';

/** Parts and settings of {@link CredentialService}. */
export interface CredentialServiceOptions {
  keys: KeyStore;
  statusLists: Pick<StatusListStore, 'allocate' | 'findRevokedAt'>;
  iris: OwnIris;
  load: DocumentLoader;
  fetchJson: FetchJson;
  now: Clock;
  newId: NewId;
}

/** Something that this server says itself. */
export interface ServerStatement {
  /** Terms of the type and the subject. */
  context: object;
  /** IRI of the credential. */
  id: string;
  /** The type that it has beside `VerifiableCredential`. */
  type: string;
  subject: Record<string, unknown>;
  /** Moment that it is about. */
  at: Date;
}

/**
 * Issues and verifies credentials of personal data.
 *
 * @see [Verifiable Credentials Data Model v2.0](https://www.w3.org/TR/vc-data-model-2.0/)
 */
export class CredentialService {
  private readonly options: CredentialServiceOptions;
  private readonly proofs: ProofVerifier;
  private readonly status: CredentialStatus;

  public constructor(options: CredentialServiceOptions) {
    this.options = options;
    const { keys, statusLists, iris, load, fetchJson } = options;
    this.proofs = new ProofVerifier(new IssuerKeys(keys, iris, fetchJson), load);
    this.status = new CredentialStatus(statusLists, this.proofs, iris, fetchJson);
  }

  /** The credential as it would be issued, without id, date, status and proof. */
  public draft(record: CredentialRecord): CredentialDocument {
    return draftCredential(record, this.options.iris.credentialIssuer);
  }

  /**
   * Returns the statements of a credential or draft: those that its proof covers, or will cover.
   *
   * @throws NotCanonicalizable when it cannot be signed: too large, or a term has no meaning in contexts known here.
   */
  public async read(document: CredentialDocument): Promise<SignedStatements> {
    return readSigned(document, this.options.load);
  }

  /**
   * Signs a credential with the newest key, with a place of its own in a status list.
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
   * Signs what this server says itself about a moment, with the newest key. It has no status: it does not cease to be
   * true.
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

  /**
   * Verifies a credential: no findings when a trusted issuer signed it and it is valid now.
   *
   * Runs cheap checks first, and ends at the first check that finds something, so that
   * nothing is fetched for a credential that is bad anyway.
   *
   * @param document - Outside data.
   * @param trustedIssuers - `did:key` with an Ed25519 key, or URLs of controller documents; this server alone when
   * none are given.
   * @param statements - What {@link read} gave, when it was read before.
   *
   * @throws CheckUnavailable when a key or status list cannot be fetched.
   */
  public async verify(
    document: CredentialDocument,
    trustedIssuers: readonly string[] = [ this.options.iris.credentialIssuer ],
    statements?: SignedStatements,
  ): Promise<CredentialFinding[]> {
    const now = this.options.now();
    const checks: (() => CredentialFinding[] | Promise<CredentialFinding[]>)[] = [
      (): CredentialFinding[] => verifyShape(document),
      (): CredentialFinding[] => verifyIssuer(document, trustedIssuers),
      (): CredentialFinding[] => verifyValidity(document, now),
      async(): Promise<CredentialFinding[]> => this.proofs.verify(document, now, statements),
      async(): Promise<CredentialFinding[]> => this.status.verify(document, now),
    ];
    for (const check of checks) {
      const findings = await check();
      if (findings.length > 0) {
        return findings;
      }
    }
    return [];
  }
}

function verifyIssuer(document: CredentialDocument, trustedIssuers: readonly string[]): CredentialFinding[] {
  return trustedIssuers.includes(issuerIdOf(document)!) ?
      [] :
      [ finding('issuer', 'the issuer is not trusted for this') ];
}
