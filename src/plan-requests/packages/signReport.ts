import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { CredentialDocument } from '../../credentials/Credential';
import type { CredentialIssuer } from '../../credentials/CredentialIssuer';
import type { OwnIris } from '../../vocabulary';

/** Signs reports. */
export interface ReportSigner {
  credentials: Pick<CredentialIssuer, 'sign'>;
  iris: Pick<OwnIris, 'core'>;
}

/**
 * A credential that says that a report is of this server. A report may be far longer than what a signer takes, so the
 * subject has its digest: the SHA-256 of its JSON in canonical form, as `digestSRI`.
 *
 * @param report - As it is answered.
 * @param judged - The package.
 * @param judged.id - Its id.
 * @param judged.at - When it was judged.
 * @param signer - Signs.
 *
 * @see [RFC 8785, section 3.2](https://www.rfc-editor.org/rfc/rfc8785#section-3.2)
 * @see [Subresource Integrity, section 3.1](https://www.w3.org/TR/SRI/#integrity-metadata)
 */
export async function signReport(
  report: object,
  judged: { id: string; at: Date },
  signer: ReportSigner,
): Promise<CredentialDocument> {
  return signer.credentials.sign({
    context: {},
    id: `urn:uuid:${judged.id}#report`,
    type: `${signer.iris.core}PackageReportCredential`,
    subject: { id: `urn:uuid:${judged.id}`, digestSRI: digestOf(report) },
    at: judged.at,
  });
}

/** The digest of a JSON object, as the credential has it. */
function digestOf(report: object): string {
  // Only `undefined` has no canonical form.
  return `sha256-${createHash('sha256').update(canonicalize(report)!).digest('base64')}`;
}
