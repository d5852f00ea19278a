import type { KeyObject } from 'node:crypto';
import type { JWK } from 'jose';
import { BoundedMap } from '../platform/BoundedMap';
import { clockSkewSeconds } from '../platform/clock';
import { isRecord } from '../platform/isRecord';
import { findUrl } from '../platform/plainUrl';
import { canonicalPath, PathRefused } from '../platform/targets';
import type { TokenRequest } from './Caller';
import type { SignatureAlgorithm } from './jws';
import {
  fitsAlgorithm,
  hasPrivateMembers,
  hasSignatureOf,
  importPublicKey,
  isSignatureAlgorithm,
  parsePart,
  splitJws,
  thumbprint,
} from './jws';
import { requireProof } from './Refusal';

/** Facts that a proof must match. */
export interface ProofContext {
  method: string;
  url: string;
  /** SHA-256, in base64url, of the access token sent with the proof. */
  tokenHash: string;
  /** Thumbprint of the key that the token is bound to. */
  jkt: string;
  now: Date;
}

/** A verified proof, which must now be remembered so that it works once. */
export interface VerifiedProof {
  jti: string;
  /** Time from which the proof is too old. */
  expiresAt: Date;
}

const maxProofLength = 8 * 1024;
const maxJtiLength = 256;
const maxAgeSeconds = 60;
/** Tolerance for clocks of clients that are ahead, which is common on phones. */
const maxAheadSeconds = 60;
const maxKeys = 5000;
/** Maximum length of a cached header: enough for an RSA key of 4,096 bits. */
const maxRememberedHeader = 1024;

/** The key in the header of a proof, once the header is checked. */
interface ProofKey {
  alg: SignatureAlgorithm;
  jkt: string;
  key: KeyObject | undefined;
}

/** Verifies DPoP proofs. Valid headers are cached by their text, because a client signs many proofs with one key. */
export class DpopProofs {
  private readonly keys = new BoundedMap<string, ProofKey>(maxKeys);

  /**
   * Checks a proof, except whether it was used before.
   *
   * @throws Refusal
   *
   * @see [RFC 9449, section 4.3](https://www.rfc-editor.org/rfc/rfc9449#section-4.3)
   */
  public verify(header: TokenRequest['dpop'], context: ProofContext): VerifiedProof {
    const proof = splitJws(onlyProof(header));
    const payload = proof && parsePart(proof.payload);
    requireProof(proof !== undefined && payload !== undefined, 'the DPoP proof is not a JWT');
    const { alg, jkt, key } = this.keys.get(proof.header) ?? readHeader(proof.header);
    requireProof(key !== undefined && hasSignatureOf(proof, alg, key), 'the signature of the DPoP proof is not valid');
    const verified = checkClaims(payload, context);
    requireProof(jkt === context.jkt, 'the DPoP proof is not of the key that the token is bound to');
    if (proof.header.length <= maxRememberedHeader) {
      this.keys.set(proof.header, { alg, jkt, key });
    }
    return verified;
  }
}

function readHeader(text: string): ProofKey {
  const header = parsePart(text);
  requireProof(header !== undefined, 'the DPoP proof is not a JWT');
  const { alg, jwk } = checkHeader(header);
  return { alg, jkt: thumbprint(jwk), key: importPublicKey(jwk) };
}

/** Returns the one proof of a request. Node joins repeated headers with a comma, which no JWT contains. */
function onlyProof(header: TokenRequest['dpop']): string {
  const proofs = Array.isArray(header) ? header : [ header ];
  const [ proof ] = proofs;
  requireProof(proof !== undefined, 'the DPoP header is missing');
  requireProof(proofs.length === 1 && !proof.includes(','), 'there is more than one DPoP proof');
  requireProof(proof.length <= maxProofLength, 'the DPoP proof is too long');
  return proof;
}

function checkHeader({ typ, alg, jwk, crit }: Record<string, unknown>): { alg: SignatureAlgorithm; jwk: JWK } {
  requireProof(typ === 'dpop+jwt', 'typ of the DPoP proof is not dpop+jwt');
  requireProof(isSignatureAlgorithm(alg), 'alg of the DPoP proof is not an accepted asymmetric algorithm');
  requireProof(crit === undefined, 'critical header extensions are not supported');
  requireProof(isRecord(jwk), 'the DPoP proof has no jwk');
  requireProof(!hasPrivateMembers(jwk), 'jwk of the DPoP proof holds a private key');
  requireProof(fitsAlgorithm(jwk, alg), 'jwk of the DPoP proof does not fit its alg');
  return { alg, jwk };
}

function checkClaims(payload: Record<string, unknown>, context: ProofContext): VerifiedProof {
  const { htm, htu, iat, jti, ath } = payload;
  const now = context.now.getTime() / 1000;
  requireProof(typeof jti === 'string' && jti.length > 0 && jti.length <= maxJtiLength, 'jti is missing or too long');
  requireProof(htm === context.method, 'htm is not the method of the request');
  requireProof(typeof htu === 'string' && isSameTarget(htu, context.url), 'htu is not the URL of the request');
  requireProof(typeof iat === 'number', 'iat of the DPoP proof is missing');
  requireProof(iat >= now - maxAgeSeconds && iat <= now + maxAheadSeconds, 'the DPoP proof is not of this minute');
  checkValidity(payload, now);
  // Optional, because stock Solid clients omit `ath`; the key that both are bound to still ties proof and token
  // together.
  const isOfToken = ath === undefined || ath === context.tokenHash;
  requireProof(isOfToken, 'ath is not the hash of the access token');
  // One second longer, so that a store may forget it exactly at this time.
  return { jti, expiresAt: new Date((Math.ceil(iat) + maxAgeSeconds + 1) * 1000) };
}

/**
 * Checks the times that a proof may have, like any JWT.
 *
 * @see [RFC 7519, section 4.1.4](https://www.rfc-editor.org/rfc/rfc7519#section-4.1.4)
 */
function checkValidity({ exp, nbf }: Record<string, unknown>, now: number): void {
  const isCurrent = exp === undefined || (typeof exp === 'number' && exp > now - clockSkewSeconds);
  requireProof(isCurrent, 'the DPoP proof has expired');
  const hasBegun = nbf === undefined || (typeof nbf === 'number' && nbf <= now + clockSkewSeconds);
  requireProof(hasBegun, 'the DPoP proof is not valid yet');
}

function isSameTarget(htu: string, url: string): boolean {
  if (htu === url.split('?', 1)[0]) {
    return true;
  }
  const target = normalised(htu);
  return target !== undefined && target === normalised(url);
}

/**
 * Returns a URL without query and fragment, in canonical form: as requests are normalised, and with unnecessary escapes
 * decoded.
 *
 * @see [RFC 3986, sections 6.2.2 and 6.2.3](https://www.rfc-editor.org/rfc/rfc3986#section-6.2.2)
 */
function normalised(text: string): string | undefined {
  const url = findUrl(text);
  if (url?.username !== '' || url.password !== '') {
    return;
  }
  try {
    return url.origin + canonicalPath(url.pathname);
  } catch (error: unknown) {
    if (error instanceof PathRefused) {
      return;
    }
    throw error;
  }
}
