import { X509Certificate } from 'node:crypto';
import { compactVerify, decodeProtectedHeader } from 'jose';
import { isRecord } from '../../platform/isRecord';
import { lastOf } from '../../platform/lists';
import { parseJson } from '../../platform/parseJson';
import type { PackageFile } from './archive';

/** Name of the file that contains the signature over all others. */
const signatureFile = 'signature.jws';

/** Maximum certificates between the signing one and an authority. */
const maxChain = 5;
const maxBytes = 4 * 1024 * 1024;
const algorithms = [ 'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA' ];

/** Requirements of a signature. */
export interface SignatureRules {
  /** Subject of the certificate, in the form of RFC 4514, such as `CN=Water, O=Water company`. */
  subject: string;
  /** Certificates of authorities, as PEM. */
  authorities: readonly string[];
  now: Date;
}

/**
 * Verifies the signature of a package: a JWS in compact form (RFC 7515). Its payload is `{"files": {name: digest}}` for
 * every other file, each digest a SHA-256 in base64url. Its `x5c` has the certificate and all others up to an
 * authority.
 *
 * @returns The reason why the signature is invalid; `undefined` when it is valid.
 */
export async function verifyPackageSignature(files: readonly PackageFile[], rules: SignatureRules):
Promise<string | undefined> {
  const signature = files.find(({ name }): boolean => name === signatureFile);
  if (!signature || signature.size > maxBytes) {
    return `There is no ${signatureFile}.`;
  }
  try {
    const jws = (await signature.read()).toString('latin1').trim();
    const chain = readChain(decodeProtectedHeader(jws).x5c);
    const fault = findChainFault(chain, rules);
    if (fault !== undefined) {
      return fault;
    }
    const { payload } = await compactVerify(jws, chain[0].publicKey, { algorithms });
    return findFilesFault(parseJson(Buffer.from(payload).toString()), files);
  } catch {
    return 'It is not a JWS that its own certificate verifies.';
  }
}

function readChain(x5c: unknown): X509Certificate[] {
  if (!Array.isArray(x5c) || x5c.length === 0 || x5c.length > maxChain) {
    throw new Error('no certificates');
  }
  return x5c.map((certificate): X509Certificate => new X509Certificate(Buffer.from(String(certificate), 'base64')));
}

function findChainFault(chain: X509Certificate[], { authorities, now, subject }: SignatureRules): string | undefined {
  if (partsOf(chain[0].subject) !== partsOf(subject)) {
    return 'The subject of the certificate is not that of the authority.';
  }
  const known = authorities.map((pem): X509Certificate => new X509Certificate(pem));
  if (!chain.every(({ validFrom, validTo }): boolean =>
    Date.parse(validFrom) <= now.getTime() && now.getTime() < Date.parse(validTo))) {
    return 'A certificate is not valid now.';
  }
  const isLinked = chain.slice(1).every((issuer, index): boolean => issuer.ca && isIssuedBy(chain[index], issuer));
  const last = lastOf(chain);
  const isAnchored = known.some((authority): boolean =>
    authority.raw.equals(last.raw) || (authority.ca && isIssuedBy(last, authority)));
  return isLinked && isAnchored ? undefined : 'No authority of this server has issued the certificate.';
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

/** Sorts the parts of a subject, which may be separated by commas or lines. */
function partsOf(subject: string): string {
  return subject.split(/[\n,]/u).map((part): string => part.trim()).filter((part): boolean => part !== '')
    .sort()
    .join('\n');
}

function findFilesFault(payload: unknown, files: readonly PackageFile[]): string | undefined {
  const signed = isRecord(payload) && isRecord(payload.files) ? payload.files : {};
  const others = files.filter(({ name }): boolean => name !== signatureFile);
  const wrong = others.find(({ digest, name }): boolean => signed[name] !== digest);
  if (wrong) {
    return `It does not cover ${wrong.name} in its present form.`;
  }
  return Object.keys(signed).length > others.length ? 'It covers files that are missing.' : undefined;
}
