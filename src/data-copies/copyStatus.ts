import { clockSkewSeconds } from '../platform/clock';
import type { AccessGrant } from '../grants/AccessGrant';
import type { Share } from '../personal-data/ShareStore';
import type { DataCopy } from './DataCopyStore';

/** Status of a data copy, computed when it is read. */
export type CopyStatus = 'STORED' | 'DELETION_DUE' | 'DELETED';

/** Why a copy must be deleted. */
export type DueReason = 'GRANT_REVOKED' | 'GRANT_EXPIRED' | 'GRANT_INVALID' | 'RESOURCE_ABSENT' | 'VC_INVALID';

/** Why a data user deletes a copy. */
export type DeletionReason = DueReason | 'NO_LONGER_NEEDED';

/** Facts that decide whether a copy may stay. */
export interface CopyFacts {
  grant: Pick<AccessGrant, 'revokedAt' | 'expiresAt' | 'invalidAt'>;
  /** Since when the resource is gone. */
  absentAt?: Date;
  /** Since when the credential is not valid: revoked, expired or altered. */
  invalidAt?: Date;
}

/** The state of a copy, and the trigger that made its deletion due. */
export interface CopyState {
  status: CopyStatus;
  deletionDueSince?: Date;
  deletionReason?: string;
}

/**
 * The status of a copy at a moment.
 *
 * Whichever trigger came first gives reason and moment; at the same moment the order is that of {@link DueReason}. It
 * is due since then, but not before the copy was made. Of a deleted copy, those count that came before its deletion,
 * and the reason is the one that was reported.
 */
export function copyStatus(
  copy: Pick<DataCopy, 'deletedAt' | 'deletionReason' | 'storedAt'>,
  facts: CopyFacts,
  now: Date,
): CopyState {
  const due = firstTrigger(facts, copy.deletedAt ?? now);
  const deletionReason = copy.deletionReason ?? due?.reason;
  const open = due ? 'DELETION_DUE' : 'STORED';
  return {
    status: copy.deletedAt ? 'DELETED' : open,
    ...due && { deletionDueSince: due.at < copy.storedAt ? copy.storedAt : due.at },
    ...deletionReason !== undefined && { deletionReason },
  };
}

/**
 * Since when the credential that a copy was made of is not valid: since it was found invalid, or since a new version
 * superseded it, which revoked the credential that stood there before.
 *
 * A copy counts as one of the version before only when it must be: the clock of the data user may be late.
 */
export function invalidSince(
  copy: Pick<DataCopy, 'storedAt' | 'reportedAt'>,
  share: Pick<Share, 'createdAt' | 'invalidAt' | 'modifiedAt'>,
): Date | undefined {
  const madeAtLast = Math.min(copy.storedAt.getTime() + clockSkewSeconds * 1000, copy.reportedAt.getTime());
  const isSuperseded = share.modifiedAt > share.createdAt && share.modifiedAt.getTime() > madeAtLast;
  const [ first ] = [ isSuperseded ? share.modifiedAt : undefined, share.invalidAt ]
    .filter((at): at is Date => at !== undefined)
    .sort((one, other): number => one.getTime() - other.getTime());
  return first;
}

/** Reason of a deletion that is due, and since when. */
interface Trigger {
  reason: DueReason;
  at: Date;
}

function firstTrigger({ grant, absentAt, invalidAt }: CopyFacts, until: Date): Trigger | undefined {
  const triggers: [DueReason, Date | undefined][] = [
    [ 'GRANT_REVOKED', grant.revokedAt ],
    [ 'GRANT_EXPIRED', grant.expiresAt ],
    [ 'GRANT_INVALID', grant.invalidAt ],
    [ 'RESOURCE_ABSENT', absentAt ],
    [ 'VC_INVALID', invalidAt ],
  ];
  let first: Trigger | undefined;
  for (const [ reason, at ] of triggers) {
    if (at && at <= until && (!first || at < first.at)) {
      first = { reason, at };
    }
  }
  return first;
}
