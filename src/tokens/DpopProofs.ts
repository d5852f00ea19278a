import type { KeyObject } from 'node:crypto';
import { createHash } from 'node:crypto';
import type { JWK } from 'jose';
import type { TokenRequest } from './Caller';
import type { SignatureAlgorithm } from './jws';
import {
  fitsAlgorithm,
  hasPrivateMembers,
  hasSignatureOf,
  importPublicKey,
  isObject,
  isSignatureAlgorithm,
  parseJws,
  thumbprint,
} from './jws';
import { requireProof } from './Refusal';

/** What a proof must prove. */
export interface ProofContext {
  method: string;
  url: string;
  /** The access token that came with the proof. */
  accessToken: string;
  /** Thumbprint of the key that the token is bound to. */
  jkt: string;
  now: Date;
}

/** A proof that has verified, and must now be remembered so that it works once. */
export interface VerifiedProof {
  jti: string;
  /** From when on the proof is refused for its age. */
  expiresAt: Date;
}

const maxProofLength = 8 * 1024;
const maxJtiLength = 256;
const maxAgeSeconds = 60;
const maxAheadSeconds = 5;
const maxKeys = 5000;

/** Verifies DPoP proofs. Imported keys are kept, because a client signs many proofs with one. */
export class DpopProofs {
  private readonly keys = new Map<string, KeyObject>();

  /**
   * Checks everything about a proof but whether it was used before.
   *
   * @throws Refusal
   *
   * @see [RFC 9449, section 4.3](https://www.rfc-editor.org/rfc/rfc9449#section-4.3)
   */
  public verify(header: TokenRequest['dpop'], context: ProofContext): VerifiedProof {
    const proof = parseJws(onlyProof(header));
    requireProof(proof !== undefined, 'the DPoP proof is not a JWT');
    const { alg, jwk } = checkHeader(proof.header);
    const jkt = thumbprint(jwk);
    const key = this.keyOf(jwk, jkt);
    requireProof(key !== undefined && hasSignatureOf(proof, alg, key), 'the signature of the DPoP proof is not valid');
    const verified = checkClaims(proof.payload, context);
    requireProof(jkt === context.jkt, 'the DPoP proof is not of the key that the token is bound to');
    return verified;
  }

  private keyOf(jwk: JWK, jkt: string): KeyObject | undefined {
    const key = this.keys.get(jkt) ?? importPublicKey(jwk);
    if (key) {
      this.keys.delete(jkt);
      this.keys.set(jkt, key);
    }
    if (this.keys.size > maxKeys) {
      this.keys.delete(this.keys.keys().next().value!);
    }
    return key;
  }
}

/** The one proof of a request. Node joins repeated headers with a comma, which no JWT has. */
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
  requireProof(isObject(jwk), 'the DPoP proof has no jwk');
  requireProof(!hasPrivateMembers(jwk), 'jwk of the DPoP proof holds a private key');
  requireProof(fitsAlgorithm(jwk, alg), 'jwk of the DPoP proof does not fit its alg');
  return { alg, jwk };
}

function checkClaims({ htm, htu, iat, jti, ath }: Record<string, unknown>, context: ProofContext): VerifiedProof {
  const now = context.now.getTime() / 1000;
  requireProof(typeof jti === 'string' && jti.length > 0 && jti.length <= maxJtiLength, 'jti is missing or too long');
  requireProof(htm === context.method, 'htm is not the method of the request');
  requireProof(typeof htu === 'string' && isSameTarget(htu, context.url), 'htu is not the URL of the request');
  requireProof(typeof iat === 'number', 'iat of the DPoP proof is missing');
  requireProof(iat >= now - maxAgeSeconds && iat <= now + maxAheadSeconds, 'the DPoP proof is not of this minute');
  // Stock Solid clients leave it out; the key that both are bound to still ties proof and token together.
  const isOfToken = ath === undefined || ath === hashOf(context.accessToken);
  requireProof(isOfToken, 'ath is not the hash of the access token');
  // A second more than needed, so that a store may forget at this very moment.
  return { jti, expiresAt: new Date((Math.ceil(iat) + maxAgeSeconds + 1) * 1000) };
}

function hashOf(accessToken: string): string {
  return createHash('sha256').update(accessToken).digest('base64url');
}

function isSameTarget(htu: string, url: string): boolean {
  const target = normalised(htu);
  return target !== undefined && target === normalised(url);
}

/**
 * A URL without query and fragment, in the one form of all its spellings.
 *
 * @see [RFC 3986, sections 6.2.2 and 6.2.3](https://www.rfc-editor.org/rfc/rfc3986#section-6.2.2)
 */
function normalised(text: string): string | undefined {
  if (!URL.canParse(text)) {
    return;
  }
  const url = new URL(text);
  url.search = '';
  url.hash = '';
  return url.href.replaceAll(/%[\da-f]{2}/giu, (escape): string => {
    const character = String.fromCodePoint(Number.parseInt(escape.slice(1), 16));
    return /[\w.~-]/u.test(character) ? character : escape.toUpperCase();
  });
}
