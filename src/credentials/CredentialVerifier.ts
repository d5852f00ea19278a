import type { Clock } from '../platform/clock';
import type { OwnIris } from '../vocabulary';
import type { CredentialDocument, CredentialFinding } from './Credential';
import { finding, issuerIdOf, verifyShape, verifyValidity } from './credentialShape';
import { CredentialStatus } from './CredentialStatus';
import type { DocumentLoader } from './documentLoader';
import type { FetchJson } from './VerificationKeys';
import { VerificationKeys } from './VerificationKeys';
import type { KeyStore } from './KeyStore';
import type { SignedStatements } from './proofs';
import { ProofVerifier } from './ProofVerifier';
import type { StatusListStore } from './StatusListStore';

/** Dependencies of a {@link CredentialVerifier}. */
export interface CredentialVerifierOptions {
  keys: KeyStore;
  statusLists: Pick<StatusListStore, 'findRevokedAt'>;
  iris: OwnIris;
  load: DocumentLoader;
  fetchJson: FetchJson;
  now: Clock;
}

/**
 * Verifies credentials of personal data, signed here or elsewhere.
 *
 * @see [Verifiable Credentials Data Model v2.0](https://www.w3.org/TR/vc-data-model-2.0/)
 */
export class CredentialVerifier {
  private readonly options: CredentialVerifierOptions;
  private readonly proofs: ProofVerifier;
  private readonly status: CredentialStatus;

  public constructor(options: CredentialVerifierOptions) {
    this.options = options;
    const { keys, statusLists, iris, load, fetchJson } = options;
    this.proofs = new ProofVerifier(new VerificationKeys(keys, iris, fetchJson), load);
    this.status = new CredentialStatus(statusLists, this.proofs, iris, fetchJson);
  }

  /**
   * Verifies a credential. Returns no findings when a trusted issuer signed it and it is valid now.
   *
   * Runs cheap checks first, and stops at the first finding, so that nothing is fetched for a credential that is
   * invalid anyway.
   *
   * @param document - Outside data.
   * @param trustedIssuers - `did:key` with an Ed25519 key, or URLs of controller documents; only this server when left
   *   out.
   * @param statements - Statements of the document, if it was read before.
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
  const issuer = issuerIdOf(document);
  return issuer !== undefined && trustedIssuers.includes(issuer) ?
      [] :
      [ finding('issuer', 'the issuer is not trusted for this') ];
}
