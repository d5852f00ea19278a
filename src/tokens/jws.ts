import { isUtf8 } from 'node:buffer';
import type { KeyObject, VerifyKeyObjectInput } from 'node:crypto';
import { constants, createPublicKey, hash as digest, verify } from 'node:crypto';
import type { JWK } from 'jose';
import { parseObject } from '../platform/parseJson';

/** A parsed JSON Web Signature in compact form. Nothing in it is verified yet. */
export interface Jws {
  header: Record<string, unknown>;
  payload: Record<string, unknown>;
  /** Signed bytes. */
  signed: Buffer;
  signature: Buffer;
}

/** A JSON Web Signature in compact form, its header and payload not decoded. */
export type JwsParts = Pick<Jws, 'signed' | 'signature'> & Record<'header' | 'payload', string>;

/** Supported signature algorithms: asymmetric ones only. */
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

/** Names of the supported algorithms, for discovery. */
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
/** Maximum characters of a number in a key, in base64url. */
const maxMemberLength = Math.ceil(maxRsaBits / 6);

/** Parses a compact JWS; undefined when it is invalid, or its payload is not a JSON object. */
export function parseJws(text: string): Jws | undefined {
  const parts = splitJws(text);
  const header = parts && parsePart(parts.header);
  const payload = parts && parsePart(parts.payload);
  return header && payload && { header, payload, signed: parts.signed, signature: parts.signature };
}

/** Splits a compact JWS, leaving header and payload encoded; undefined when it is invalid. */
export function splitJws(text: string): JwsParts | undefined {
  const parts = compactForm.exec(text);
  if (!parts) {
    return;
  }
  const [ , header, payload, signature ] = parts;
  const signed = Buffer.from(text.slice(0, -signature.length - 1), 'latin1');
  return { header, payload, signed, signature: Buffer.from(signature, 'base64url') };
}

/** Parses the JSON object in a part of a JWS; undefined when the part is not one. */
export function parsePart(base64url: string): Record<string, unknown> | undefined {
  const bytes = Buffer.from(base64url, 'base64url');
  return isUtf8(bytes) ? parseObject(bytes) : undefined;
}

/** Computes the SHA-256 of a text, in base64url. */
export function sha256(text: string): string {
  return digest('sha256', text, 'base64url');
}

/** Checks for a supported `alg`. `none` and the HMAC ones are not supported. */
export function isSignatureAlgorithm(alg: unknown): alg is SignatureAlgorithm {
  return typeof alg === 'string' && Object.hasOwn(algorithms, alg);
}

/**
 * Checks whether a key may verify signatures of an algorithm.
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

/** Checks for private members in a key. */
export function hasPrivateMembers(key: JWK): boolean {
  return privateMembers.some((member): boolean => Object.hasOwn(key, member));
}

/**
 * Imports the public part of a key; undefined when it is unusable, or an RSA key of less than 2,048 or more than 8,192
 * bits.
 */
export function importPublicKey(jwk: JWK): KeyObject | undefined {
  try {
    const key = isShort(jwk) ? createPublicKey({ key: publicPart(jwk), format: 'jwk' }) : undefined;
    return key && hasUsableSize(key) ? key : undefined;
  } catch {
    // Not on its curve, incomplete, or not a key at all.
  }
}

/** Returns false for a key with a number that is too long: Node.js reads an RSA exponent of a megabyte for a minute. */
export function isShort(jwk: JWK): boolean {
  return membersOf(jwk).map((member): unknown => jwk[member])
    .every((value): boolean => typeof value !== 'string' || value.length <= maxMemberLength);
}

/** Returns false for an RSA key of less than 2,048 or more than 8,192 bits. */
export function hasUsableSize({ asymmetricKeyDetails }: KeyObject): boolean {
  const bits = asymmetricKeyDetails?.modulusLength;
  return bits === undefined || (bits >= minRsaBits && bits <= maxRsaBits);
}

/**
 * Computes the SHA-256 thumbprint of the key in a DPoP proof, in 2 µs of CPU. Elsewhere `calculateJwkThumbprint` of
 * jose does, which takes 29 µs.
 *
 * @see [RFC 7638](https://www.rfc-editor.org/rfc/rfc7638), [RFC 8037, appendix A.3](https://www.rfc-editor.org/rfc/rfc8037#appendix-A.3)
 */
export function thumbprint(jwk: JWK): string {
  return sha256(JSON.stringify(publicPart(jwk)));
}

/** Returns the members of the public key, in the order of RFC 7638. */
function publicPart(jwk: JWK): Record<string, unknown> {
  return Object.fromEntries(membersOf(jwk).map((member): [string, unknown] => [ member, jwk[member] ]));
}

function membersOf({ kty }: JWK): readonly (keyof JWK)[] {
  return publicMembers[String(kty)] ?? [];
}

/**
 * Verifies the signature of a JWS with this key and algorithm.
 *
 * Own code, like {@link parseJws}, because nearly every request needs a token or a proof verified: parsing and
 * verifying one with ES256 takes 77 µs of CPU here, and 139 µs with jose (Node.js 20), which uses the threads of Web
 * Crypto for each. Less frequent work uses jose.
 */
export function hasSignatureOf(
  jws: Pick<Jws, 'signed' | 'signature'>,
  alg: SignatureAlgorithm,
  key: KeyObject,
): boolean {
  const { hash, options } = algorithms[alg];
  return verify(hash, jws.signed, { key, ...options }, jws.signature);
}
