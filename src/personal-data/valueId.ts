import { createHmac } from 'node:crypto';
import { deriveKey } from '../platform/deriveKey';

/** Facts that the id of a value covers. */
export interface ValueIdentity {
  citizenId: string;
  dataType: string;
  recordId: string;
  version: string;
}

/** Derives the key of value ids from a secret of the service. */
export function valueIdKeyOf(secret: Buffer): Buffer {
  return deriveKey(secret, 'data value ids');
}

function code(key: Buffer, parts: string[]): string {
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest().subarray(0, 16).toString('base64url');
}

/**
 * Makes the id of a value from two keyed hashes: one over citizen, type and record, and one that also covers the
 * version. It reveals nothing and cannot be forged. An id made again from the source's answer shows whether the value
 * is the one that the citizen saw.
 *
 * @param key - Secret key of this service.
 */
export function valueId(key: Buffer, { citizenId, dataType, recordId, version }: ValueIdentity): string {
  const record = [ citizenId, dataType, recordId ];
  return `${code(key, [ 'record', ...record ])}.${code(key, [ 'version', ...record, version ])}`;
}

/** Checks whether a text has the form of a value id. */
export function isValueId(text: string): boolean {
  return /^[\w-]{22}\.[\w-]{22}$/u.test(text);
}

/** Checks whether two ids belong to the same record, in any version. */
export function isSameRecord(id: string, other: string): boolean {
  return id.split('.')[0] === other.split('.')[0];
}
