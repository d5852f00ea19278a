import { isUtf8 } from 'node:buffer';
import type { KeyObject, VerifyKeyObjectInput } from 'node:crypto';
import { constants, createPublicKey, hash as digest, verify } from 'node:crypto';
import type { JWK } from 'jose';
import { parseObject } from '../platform/parseJson';

/** A JSON Web Signature in compact form, taken apart. Nothing in it is verified yet. */
export interface Jws {
  header: Record<string, unknown>;
  payload: Record<string, unknown>;
  /** Bytes under the signature. */
  signed: Buffer;
  signature: Buffer;
}

/** A JSON Web Signature in compact form, its header and payload not decoded. */
export type JwsParts = Pick<Jws, 'signed' | 'signature'> & Record<'header' | 'payload', string>;

/** Names of the signature algorithms this server takes: asymmetric ones only. */
export type SignatureAlgorithm = 'ES256' | 'ES384' | 'RS256' | 'PS256' | 'EdDSA' | 'Ed25519';

interface Algorithm {
  kty: string;
  crv?: string;
  hash: string | null;
  options?: Omit<VerifyKeyObjectInput, 'key'>;
}

const ed25519: Algorithm = { kty: 'OKP', crv: 'Ed25519', hash: null };
const algorithms: Record<SignatureAlgorithm, Algorithm> = {
  ES256: { kty: 'EC', crv: 'P-256', hash: 'sha256', options: { dsaEncoding: 'ieee-p1363' }},
  ES384: { kty: 'EC', crv: 'P-384', hash: 'sha384', options: { dsaEncoding: 'ieee-p1363' }},
  RS256: { kty: 'RSA', hash: 'sha256', options: { padding: constants.RSA_PKCS1_PADDING }},
  PS256: { kty: 'RSA', hash: 'sha256', options: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }},
  EdDSA: ed25519,
  Ed25519: ed25519,
};

/** Names of the algorithms this server takes, for discovery. */
export const signatureAlgorithms = Object.keys(algorithms);

const publicMembers: Record<string, (keyof JWK)[]> = {
  EC: [ 'crv', 'kty', 'x', 'y' ],
  OKP: [ 'crv', 'kty', 'x' ],
  RSA: [ 'e', 'kty', 'n' ],
};
const privateMembers = [ 'd', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k' ];
const compactForm = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/u;
const minRsaBits = 2048;
const maxRsaBits = 8192;

/** Takes a compact JWS apart; undefined when it is none, or its payload is not a JSON object. */
export function parseJws(text: string): Jws | undefined {
  const parts = splitJws(text);
  const header = parts && parsePart(parts.header);
  const payload = parts && parsePart(parts.payload);
  return header && payload && { header, payload, signed: parts.signed, signature: parts.signature };
}

/** The parts of a compact JWS, header and payload still encoded; undefined when it is none. */
export function splitJws(text: string): JwsParts | undefined {
  const parts = compactForm.exec(text);
  if (!parts) {
    return;
  }
  const [ , header, payload, signature ] = parts;
  const signed = Buffer.from(text.slice(0, -signature.length - 1), 'latin1');
  return { header, payload, signed, signature: Buffer.from(signature, 'base64url') };
}

/** The JSON object that a part of a JWS holds; undefined when it holds none. */
export function parsePart(base64url: string): Record<string, unknown> | undefined {
  const bytes = Buffer.from(base64url, 'base64url');
  return isUtf8(bytes) ? parseObject(bytes) : undefined;
}

/** The SHA-256 of a text, in base64url. */
export function sha256(text: string): string {
  return digest('sha256', text, 'base64url');
}

/** Checks whether an `alg` is one that this server takes. `none` and the HMAC ones are not. */
export function isSignatureAlgorithm(alg: unknown): alg is SignatureAlgorithm {
  return typeof alg === 'string' && Object.hasOwn(algorithms, alg);
}

/**
 * Checks whether a key may be used to verify signatures of an algorithm.
 *
 * @see [RFC 7517, section 4](https://www.rfc-editor.org/rfc/rfc7517#section-4)
 */
export function fitsAlgorithm(key: JWK, alg: SignatureAlgorithm): boolean {
  const { kty, crv } = algorithms[alg];
  return key.kty === kty && (crv === undefined || key.crv === crv) &&
    (key.alg === undefined || (isSignatureAlgorithm(key.alg) && algorithms[key.alg] === algorithms[alg])) &&
    (key.use === undefined || key.use === 'sig') &&
    (key.key_ops === undefined || (Array.isArray(key.key_ops) && key.key_ops.includes('verify')));
}

/** Checks whether a key has members that only its owner should know. */
export function hasPrivateMembers(key: JWK): boolean {
  return privateMembers.some((member): boolean => Object.hasOwn(key, member));
}

/**
 * Imports the public part of a key; undefined when it is no usable key, or an RSA key of less than 2,048 or more than
 * 8,192 bits.
 */
export function importPublicKey(jwk: JWK): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: publicPart(jwk), format: 'jwk' });
    return hasUsableSize(key) ? key : undefined;
  } catch {
    // Not on its curve, members missing, or not a key at all.
  }
}

/** False for an RSA key of less than 2,048 or more than 8,192 bits. */
export function hasUsableSize({ asymmetricKeyDetails }: KeyObject): boolean {
  const bits = asymmetricKeyDetails?.modulusLength;
  return bits === undefined || (bits >= minRsaBits && bits <= maxRsaBits);
}

/**
 * The SHA-256 thumbprint of the key in a DPoP proof. Elsewhere `calculateJwkThumbprint` of jose does: it takes 29 µs of
 * CPU instead of 2.
 *
 * @see [RFC 7638](https://www.rfc-editor.org/rfc/rfc7638), [RFC 8037, appendix A.3](https://www.rfc-editor.org/rfc/rfc8037#appendix-A.3)
 */
export function thumbprint(jwk: JWK): string {
  return sha256(JSON.stringify(publicPart(jwk)));
}

/** The members that make the public key, in the order of RFC 7638. */
function publicPart(jwk: JWK): Record<string, unknown> {
  const members = publicMembers[String(jwk.kty)] ?? [];
  return Object.fromEntries(members.map((member): [string, unknown] => [ member, jwk[member] ]));
}

/**
 * Checks whether the signature of a JWS is of this key and algorithm.
 *
 * Own code, as {@link parseJws} is, because nearly every request has a token or a proof verified: to parse and verify
 * one of ES256 takes 77 µs of CPU here and 139 µs with jose (Node.js 20), which leaves each to the threads of Web
 * Crypto. What is not on the way of every request is left to jose.
 */
export function hasSignatureOf(
  jws: Pick<Jws, 'signed' | 'signature'>,
  alg: SignatureAlgorithm,
  key: KeyObject,
): boolean {
  const { hash, options } = algorithms[alg];
  return verify(hash, jws.signed, { key, ...options }, jws.signature);
}
