import { hasPassed } from '../platform/clock';
import type { InvalidReason, Share } from './ShareStore';

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
