import { createHmac } from 'node:crypto';

/** Facts that the id of a value covers. */
export interface ValueIdentity {
  citizenId: string;
  dataType: string;
  recordId: string;
  version: string;
}

function code(key: Buffer, parts: string[]): string {
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest().subarray(0, 16).toString('base64url');
}

/**
 * Id of a data value: a code of citizen, type and record, and one of these and the version. It says nothing, and can't
 * be made by others; made again from the source's answer, it tells whether a value is the one that was seen.
 *
 * @param key - Secret of this service.
 */
export function valueId(key: Buffer, { citizenId, dataType, recordId, version }: ValueIdentity): string {
  const record = [ citizenId, dataType, recordId ];
  return `${code(key, [ 'record', ...record ])}.${code(key, [ 'version', ...record, version ])}`;
}

/** Checks whether a text has the form of an id of a value. */
export function isValueId(text: string): boolean {
  return /^[\w-]{22}\.[\w-]{22}$/u.test(text);
}

/** Checks whether two ids are of the same record, whatever its version. */
export function isSameRecord(id: string, other: string): boolean {
  return id.split('.')[0] === other.split('.')[0];
}
