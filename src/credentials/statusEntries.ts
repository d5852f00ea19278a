import { gunzipSync, gzipSync } from 'node:zlib';
import type { OwnIris } from '../vocabulary';
import type { StatusEntry, StatusListKind } from './StatusListStore';
import { statusListLength } from './StatusListStore';

/** Maximum size of an unpacked list in bytes. */
const maxListBytes = 16 * 1024 * 1024;

/** URL of a status list credential of this server. */
export function statusListUrl(kind: StatusListKind, listId: string, iris: OwnIris): string {
  return new URL(`status/${listId}`, kind === 'grants' ? iris.accessIssuer : iris.credentialIssuer).href;
}

/**
 * Returns the `credentialStatus` of a credential issued here.
 *
 * @see [Bitstring Status List v1.0, section 2.1](https://www.w3.org/TR/vc-bitstring-status-list/#bitstringstatuslistentry)
 */
export function credentialStatus(kind: StatusListKind, { listId, index }: StatusEntry, iris: OwnIris): object {
  const list = statusListUrl(kind, listId, iris);
  if (kind === 'grants') {
    return {
      id: `${list}#${index}`,
      type: 'RevocationList2020Status',
      revocationListIndex: String(index),
      revocationListCredential: list,
    };
  }
  return {
    id: `${list}#${index}`,
    type: 'BitstringStatusListEntry',
    statusPurpose: 'revocation',
    statusListIndex: String(index),
    statusListCredential: list,
  };
}

/** Returns the id of this server's list at a URL; `undefined` for a list of another server. */
export function ownListId(kind: StatusListKind, url: string, iris: OwnIris): string | undefined {
  const prefix = statusListUrl(kind, '', iris);
  return url.startsWith(prefix) && url.length > prefix.length ? url.slice(prefix.length) : undefined;
}

/** Reads an index in the form of status entries: a string of digits. */
export function readIndex(value: unknown): number | undefined {
  return typeof value === 'string' && /^\d{1,9}$/u.test(value) ? Number(value) : undefined;
}

/**
 * Packs the bits of a list with gzip; index 0 is the left-most bit of the first byte.
 *
 * @see [Bitstring Status List v1.0, section 3.3](https://www.w3.org/TR/vc-bitstring-status-list/#bitstring-generation-algorithm)
 */
export function packBits(indexes: readonly number[]): Buffer {
  const bits = Buffer.alloc(statusListLength / 8);
  for (const index of indexes) {
    bits[index >> 3] |= 0x80 >> (index & 7);
  }
  return gzipSync(bits);
}

/** Unpacks a gzipped list in base64 or base64url, with or without a multibase prefix. */
export function unpackBits(encodedList: unknown): Buffer | undefined {
  if (typeof encodedList !== 'string') {
    return undefined;
  }
  try {
    const base64 = encodedList.startsWith('u') ? encodedList.slice(1) : encodedList;
    return gunzipSync(Buffer.from(base64, 'base64url'), { maxOutputLength: maxListBytes });
  } catch {
    return undefined;
  }
}

/** Reads the bits of each entry of a list: one if a status entry does not say. */
export function readSize(value: unknown = 1): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

/**
 * Returns true if any bit of an entry is set; `undefined` when the list is too short.
 *
 * @param size - Bits of each entry.
 *
 * @see [Bitstring Status List v1.0, section 3.2](https://www.w3.org/TR/vc-bitstring-status-list/#validate-algorithm)
 */
export function isAnyBitSet(bits: Buffer, index: number, size: number): boolean | undefined {
  const from = index * size;
  if (from + size > bits.length * 8) {
    return undefined;
  }
  for (let at = from; at < from + size; at += 1) {
    if ((bits[at >> 3] & (0x80 >> (at & 7))) !== 0) {
      return true;
    }
  }
  return false;
}
