import type { CredentialDocument, CredentialFinding } from './Credential';
import { finding, issuerIdOf } from './credentialShape';
import type { DocumentLoader } from './documentLoader';
import type { VerificationKeys } from './VerificationKeys';
import type { SignedStatements } from './proofs';
import { ProofInvalid, readProof, verifySignature } from './proofs';

/** Verifies that the issuer of a credential has signed it. Does not check whether the issuer is trusted. */
export class ProofVerifier {
  public constructor(private readonly keys: VerificationKeys, private readonly load: DocumentLoader) {}

  /**
   * @param document - A credential of valid shape.
   * @param now - Moment for which its dates are checked.
   * @param statements - Statements of the document, if they were read before.
   *
   * @throws CheckUnavailable when the issuer's key cannot be fetched.
   */
  public async verify(
    document: CredentialDocument,
    now: Date,
    statements?: SignedStatements,
  ): Promise<CredentialFinding[]> {
    try {
      await this.verifyProof(document, now, statements);
      return [];
    } catch (error: unknown) {
      if (error instanceof ProofInvalid) {
        return [ finding('proof', error.message) ];
      }
      throw error;
    }
  }

  private async verifyProof(document: CredentialDocument, now: Date, statements?: SignedStatements): Promise<void> {
    const proof = readProof(document, now);
    const issuer = issuerIdOf(document);
    const key = issuer === undefined ? undefined : await this.keys.find(issuer, proof.verificationMethod, now);
    if (!key) {
      throw new ProofInvalid('the verification method is not one of the issuer for signing credentials');
    }
    await verifySignature(document, proof, key, this.load, statements);
  }
}
