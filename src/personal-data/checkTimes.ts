import { firstPassed } from '../platform/clock';
import type { Share } from './ShareStore';

/** Default interval between checks at the origin, in milliseconds. */
export const defaultCheckMs = 24 * 60 * 60 * 1000;

/**
 * Returns the time of a share's next check at its origin. Checks happen once per interval, at a point in it that
 * depends on the share's id, so that all checks are spread evenly whenever the shares were made. A share that expires
 * sooner is checked as soon as it counts as expired.
 *
 * @param share - Share to check. Its id is random.
 * @param now - Time of the present check.
 * @param intervalMs - Time between two checks.
 */
export function nextCheck(share: Pick<Share, 'expiresAt' | 'id'>, now: Date, intervalMs: number): Date {
  const point = Math.floor(Number.parseInt(share.id.slice(0, 8), 16) / 0x1_0000_0000 * intervalMs) || 0;
  const next = now.getTime() + intervalMs - ((now.getTime() - point) % intervalMs);
  const expiredFrom = share.expiresAt && firstPassed(share.expiresAt);
  return expiredFrom && expiredFrom > now && expiredFrom.getTime() < next ? expiredFrom : new Date(next);
}
