import type { Clock, NewId } from '../platform/clock';
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
    const { keys, iris, load, newId, statusLists } = this.options;
    await keys.refresh();
    const [ key ] = keys.getSigningKeys('credentials');
    const { '@context': context, type, issuer, credentialSubject } = this.draft(record);
    const status = await statusLists.allocate('credentials');
    const created = this.options.now();
    const document = await addProof({
      '@context': context,
      id: `urn:uuid:${newId()}`,
      type,
      issuer,
      validFrom: created.toISOString(),
      credentialStatus: credentialStatus('credentials', status, iris),
      credentialSubject,
    }, {
      form: 'eddsa-rdfc-2022',
      verificationMethod: verificationMethodOf('credentials', key, iris),
      created,
    }, key, load);
    return { document, status };
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
