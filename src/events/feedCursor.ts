import { createHmac, timingSafeEqual } from 'node:crypto';
import { ParameterInvalid } from '../problems';
import type { WebId } from '../platform/webId';

/** Bytes of the authentication code in a cursor. */
const macBytes = 16;

/**
 * The cursor of a place in the feed of a data user. It is authenticated, so that one that was altered, or that belongs
 * to another data user, is none.
 *
 * @param key - The secret in use.
 * @param dataUser - WebID.
 * @param number - Of the event after which to go on; 0 for the beginning.
 */
export function writeFeedCursor(key: Buffer, dataUser: WebId, number: number): string {
  return `${number}.${macOf(key, dataUser, number).toString('base64url')}`;
}

/**
 * The number in a cursor that {@link writeFeedCursor} made.
 *
 * @param keys - The secret in use, and those that were.
 *
 * @throws ParameterInvalid when it is none of this data user.
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
