import { hkdfSync } from 'node:crypto';

/**
 * Derives a key of 32 bytes from a secret, a different one for each purpose and salt.
 *
 * @see [RFC 5869](https://www.rfc-editor.org/rfc/rfc5869): HKDF, with SHA-256
 */
export function deriveKey(secret: Buffer, purpose: string, salt = ''): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, purpose, 32));
}
