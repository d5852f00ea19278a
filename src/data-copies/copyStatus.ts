import { clockSkewSeconds } from '../platform/clock';
import type { AccessGrant } from '../grants/AccessGrant';
import type { Share } from '../personal-data/ShareStore';
import type { DataCopy } from './DataCopyStore';

/** Status of a data copy, computed on reading. */
export type CopyStatus = 'STORED' | 'DELETION_DUE' | 'DELETED';

/** Reason why a copy must be deleted. */
export type DueReason = 'GRANT_REVOKED' | 'GRANT_EXPIRED' | 'GRANT_INVALID' | 'RESOURCE_ABSENT' | 'VC_INVALID';

/** Reason why a data user deletes a copy. */
export type DeletionReason = DueReason | 'NO_LONGER_NEEDED';

/** Facts that decide whether a copy may be kept. */
export interface CopyFacts {
  grant: Pick<AccessGrant, 'revokedAt' | 'expiresAt' | 'invalidAt'>;
  /** Time from which the resource is missing. */
  absentAt?: Date;
  /** Time from which the credential is not valid: revoked, expired or altered. */
  invalidAt?: Date;
}

/** The state of a copy, and the trigger that made its deletion due. */
export interface CopyState {
  status: CopyStatus;
  deletionDueSince?: Date;
  deletionReason?: string;
}

/**
 * Returns the status of a copy at a moment.
 *
 * The earliest trigger determines reason and time; at the same moment the order is that of {@link DueReason}. The copy
 * is due from then, but not before it was made. For a deleted copy, only triggers before its deletion count, and the
 * reason is the reported one.
 */
export function copyStatus(
  copy: Pick<DataCopy, 'absentAt' | 'deletedAt' | 'deletionReason' | 'storedAt'>,
  facts: CopyFacts,
  now: Date,
): CopyState {
  const due = firstTrigger({ ...facts, absentAt: copy.absentAt ?? facts.absentAt }, copy.deletedAt ?? now);
  const deletionReason = copy.deletionReason ?? due?.reason;
  const open = due ? 'DELETION_DUE' : 'STORED';
  return {
    status: copy.deletedAt ? 'DELETED' : open,
    ...due && { deletionDueSince: due.at < copy.storedAt ? copy.storedAt : due.at },
    ...deletionReason !== undefined && { deletionReason },
  };
}

/**
 * Returns when the credential of a copy became invalid: when it was found invalid, or when the first new version
 * superseded it, which revoked the credential before it.
 *
 * A copy counts as one of the earlier version only if it must be: the data user's clock may be late.
 */
export function invalidSince(
  copy: Pick<DataCopy, 'invalidAt' | 'reportedAt' | 'storedAt'>,
  share: Pick<Share, 'createdAt' | 'invalidAt' | 'modifiedAt'>,
): Date | undefined {
  const madeAtLast = Math.min(copy.storedAt.getTime() + clockSkewSeconds * 1000, copy.reportedAt.getTime());
  const isSuperseded = share.modifiedAt > share.createdAt && share.modifiedAt.getTime() > madeAtLast;
  const [ first ] = [ copy.invalidAt, isSuperseded ? share.modifiedAt : undefined, share.invalidAt ]
    .filter((at): at is Date => at !== undefined)
    .sort((one, other): number => one.getTime() - other.getTime());
  return first;
}

/** Reason and time of a due deletion. */
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
