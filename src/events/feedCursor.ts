import { createHmac, timingSafeEqual } from 'node:crypto';
import { deriveKey } from '../platform/deriveKey';
import { ParameterInvalid } from '../problems';
import type { WebId } from '../platform/webId';

/** Number of bytes of the authentication code in a cursor. */
const macBytes = 16;

/** Derives the key of cursors from a secret of the service. */
export function cursorKeyOf(secret: Buffer): Buffer {
  return deriveKey(secret, 'event cursors');
}

/**
 * Returns the cursor of a position in a data user's feed. It is authenticated, so that an altered one, or one of
 * another data user, is refused.
 *
 * @param key - The current secret.
 * @param dataUser - WebID.
 * @param number - Number of the event after which to continue; 0 for the beginning.
 */
export function writeFeedCursor(key: Buffer, dataUser: WebId, number: number): string {
  return `${number}.${macOf(key, dataUser, number).toString('base64url')}`;
}

/**
 * Reads the number in a cursor made by {@link writeFeedCursor}.
 *
 * @param keys - The current secret and earlier ones.
 *
 * @throws ParameterInvalid when it is not a cursor of this data user.
 */
export function readFeedCursor(keys: readonly Buffer[], dataUser: WebId, cursor: string): number {
  const [ , digits, code ] = /^(0|[1-9]\d{0,15})\.([\w-]{22})$/u.exec(cursor) ?? [];
  const number = Number(digits);
  const mac = Buffer.from(code ?? '', 'base64url');
  if (!Number.isSafeInteger(number) || mac.length !== macBytes || mac.toString('base64url') !== code ||
    !keys.some((key): boolean => timingSafeEqual(macOf(key, dataUser, number), mac))) {
    throw new ParameterInvalid('after is not a cursor that this operation gave to this caller.');
  }
  return number;
}

function macOf(key: Buffer, dataUser: WebId, number: number): Buffer {
  return createHmac('sha256', key).update(`${number}\0${dataUser}`).digest().subarray(0, macBytes);
}
