import { createHash } from 'node:crypto';

/** SHA-256 of stored bytes, hexadecimal. */
export function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Maximum size of a credential: anything larger was not shared here. */
export const maxCredentialBytes = 4 * 1024 * 1024;
