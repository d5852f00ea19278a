import { createHash } from 'node:crypto';

/** SHA-256 of stored bytes, hexadecimal. */
export function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** More bytes than this are no credential that was shared here. */
export const maxCredentialBytes = 4 * 1024 * 1024;
