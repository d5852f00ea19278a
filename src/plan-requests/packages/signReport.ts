import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { CredentialDocument } from '../../credentials/Credential';
import type { CredentialIssuer } from '../../credentials/CredentialIssuer';
import type { OwnIris } from '../../vocabulary';

/** Dependencies of {@link signReport}. */
export interface ReportSigner {
  credentials: Pick<CredentialIssuer, 'sign'>;
  iris: Pick<OwnIris, 'core'>;
}

/**
 * Makes a credential that confirms that a report is by this server. A report may be far longer than a signer accepts,
 * so the subject contains its digest: the SHA-256 of its canonical JSON, as `digestSRI`.
 *
 * @param report - As returned to callers.
 * @param validated - The package.
 * @param validated.id - Its id.
 * @param validated.at - When it was validated.
 * @param signer - Signs the credential.
 *
 * @see [RFC 8785, section 3.2](https://www.rfc-editor.org/rfc/rfc8785#section-3.2)
 * @see [Subresource Integrity, section 3.1](https://www.w3.org/TR/SRI/#integrity-metadata)
 */
export async function signReport(
  report: object,
  validated: { id: string; at: Date },
  signer: ReportSigner,
): Promise<CredentialDocument> {
  return signer.credentials.sign({
    context: {},
    id: `urn:uuid:${validated.id}#report`,
    type: `${signer.iris.core}PackageReportCredential`,
    subject: { id: `urn:uuid:${validated.id}`, digestSRI: digestOf(report) },
    at: validated.at,
  });
}

/** Computes the digest of a JSON object, in the form of the credential. */
function digestOf(report: object): string {
  // Only `undefined` has no canonical form.
  return `sha256-${createHash('sha256').update(canonicalize(report)!).digest('base64')}`;
}
