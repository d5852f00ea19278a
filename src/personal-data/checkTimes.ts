import type { Share } from './ShareStore';

/** Default interval between checks at the origin, in milliseconds. */
export const usualCheckMs = 24 * 60 * 60 * 1000;

/**
 * When a share is to be checked at its origin next: once in each interval, at a point of it that belongs to the share,
 * so that the checks of all shares are spread evenly, whenever they were made; but at once when it expires.
 *
 * @param share - Its id is random.
 * @param now - Of this check.
 * @param intervalMs - Between two checks.
 */
export function nextCheck(share: Pick<Share, 'expiresAt' | 'id'>, now: Date, intervalMs: number): Date {
  const point = Math.floor(Number.parseInt(share.id.slice(0, 8), 16) / 0x1_0000_0000 * intervalMs) || 0;
  const next = now.getTime() + intervalMs - ((now.getTime() - point) % intervalMs);
  const { expiresAt } = share;
  return expiresAt && expiresAt > now && expiresAt.getTime() < next ? expiresAt : new Date(next);
}
