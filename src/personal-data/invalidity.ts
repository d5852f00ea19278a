import type { Records } from '../records';
import { hasPassed } from '../clock';
import type { Share } from './ShareStore';

/** Why a credential is not valid. */
export type InvalidReason =
  /** Its own date has passed. */
  'expired' |
  /** A status list says so. */
  'revoked' |
  /** Something else stands in its place. */
  'altered' |
  /** Its issuer is not, or no longer, trusted for this kind of data. */
  'issuer' |
  /** Its signature does not hold, or the key is no longer the issuer's. */
  'proof' |
  /** It is no credential. */
  'shape' |
  /** Its source no longer stands by it: the record is gone, or there is another version. */
  'withdrawn';

/** That a credential is not valid. */
export interface Invalidity {
  /** The true moment where it is known, else that of finding it. */
  at: Date;
  reason: InvalidReason;
}

/**
 * Since when the credential of a share is not valid, as far as its row says; `undefined` while it is.
 *
 * @param share - Its row.
 * @param now - The moment.
 */
export function originInvalidSince(share: Pick<Share, 'expiresAt' | 'invalidAt'>, now: Date): Date | undefined {
  return share.invalidAt ?? (share.expiresAt && hasPassed(share.expiresAt, now) ? share.expiresAt : undefined);
}

/**
 * Records that the credential of a share is not valid, for good: its bit in our status list is set, when it was issued
 * here. What was recorded first stays, and what was shared again meanwhile is another credential.
 *
 * @param records - Where it is noted, with a row in the audit record.
 * @param share - What was judged.
 * @param invalidity - The judgement.
 * @param now - The moment of it.
 *
 * @returns The row as it is now.
 */
export async function markInvalid(
  records: Pick<Records, 'transaction'>,
  share: Share,
  invalidity: Invalidity,
  now: Date,
): Promise<Share> {
  const { at, reason } = invalidity;
  return records.transaction(async({ audit, shares, statusLists }): Promise<Share> => {
    if (await shares.setInvalid(share, at, reason)) {
      if (share.status) {
        await statusLists.revoke(share.status, now);
      }
      await audit.append({
        type: 'credential.invalid',
        at: now,
        facts: { contract: share.contractId, dataType: share.dataType, reason },
        personal: { resource: share.resource },
        citizenId: share.citizenId,
      });
    }
    return await shares.findByResource(share.resource) ?? share;
  });
}
