import { hasPassed } from '../platform/clock';
import type { InvalidReason, Share } from './ShareStore';

/** The finding that a credential is not valid. */
export interface Invalidity {
  /** The time at which it became invalid, if known; otherwise the time of the finding. */
  at: Date;
  reason: InvalidReason;
}

/**
 * Returns the time since which a share's credential is not valid, as far as its row shows; `undefined` while it is
 * valid.
 *
 * @param share - Row of the share.
 * @param now - Current time.
 */
export function originInvalidSince(share: Pick<Share, 'expiresAt' | 'invalidAt'>, now: Date): Date | undefined {
  return share.invalidAt ?? (share.expiresAt && hasPassed(share.expiresAt, now) ? share.expiresAt : undefined);
}
