import { gunzipSync, gzipSync } from 'node:zlib';
import type { OwnIris } from '../vocabulary';
import type { StatusEntry, StatusListKind } from './StatusListStore';
import { statusListLength } from './StatusListStore';

/** Most bytes that a compressed list may unpack to. */
const maxListBytes = 16 * 1024 * 1024;

/** URL of a status list credential of this server. */
export function statusListUrl(kind: StatusListKind, listId: string, iris: OwnIris): string {
  return new URL(`status/${listId}`, kind === 'grants' ? iris.accessIssuer : iris.credentialIssuer).href;
}

/**
 * The `credentialStatus` of a credential issued here.
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

/** The list of this server that a URL names; `undefined` when it is another's. */
export function ownListId(kind: StatusListKind, url: string, iris: OwnIris): string | undefined {
  const prefix = statusListUrl(kind, '', iris);
  return url.startsWith(prefix) && url.length > prefix.length ? url.slice(prefix.length) : undefined;
}

/** An index as status entries write it: a string of digits. */
export function readIndex(value: unknown): number | undefined {
  return typeof value === 'string' && /^\d{1,9}$/u.test(value) ? Number(value) : undefined;
}

/**
 * The bits of a list, gzipped; index 0 is the left-most bit of the first byte.
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

/** The bits of a gzipped list in base64 or base64url, with a multibase prefix or without. */
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

/** Checks whether the bit at an index is set; `undefined` when the list is too short. */
export function readBit(bits: Buffer, index: number): boolean | undefined {
  // Its type does not know that there may be none.
  const byte = bits[index >> 3] as number | undefined;
  return byte === undefined ? undefined : (byte & (0x80 >> (index & 7))) !== 0;
}
