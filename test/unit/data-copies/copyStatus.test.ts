import type { CopyFacts } from '../../../src/data-copies/copyStatus';
import { copyStatus, invalidSince } from '../../../src/data-copies/copyStatus';
import { fc } from '../../support/properties';

function at(minute: number): Date {
  return new Date(Date.UTC(2026, 2, 1, 12, minute));
}

const now = at(10);
const storedAt = at(0);

function facts(reasons: Record<string, number>): CopyFacts {
  const moments = Object.fromEntries(
    Object.entries(reasons).map(([ reason, minute ]): [string, Date] => [ reason, at(minute) ]),
  );
  return {
    grant: { revokedAt: moments.GRANT_REVOKED, expiresAt: moments.GRANT_EXPIRED, invalidAt: moments.GRANT_INVALID },
    absentAt: moments.RESOURCE_ABSENT,
    invalidAt: moments.VC_INVALID,
  };
}

describe('The status of a data copy', (): void => {
  it('is "stored" as long as nothing has happened.', (): void => {
    expect(copyStatus({ storedAt }, facts({}), now)).toEqual({ status: 'STORED' });
    expect(copyStatus({ storedAt }, facts({ GRANT_EXPIRED: 11 }), now)).toEqual({ status: 'STORED' });
  });

  const order = [ 'GRANT_REVOKED', 'GRANT_EXPIRED', 'GRANT_INVALID', 'RESOURCE_ABSENT', 'VC_INVALID' ];

  it.each(order)('is due for deletion by %s, from that moment on.', (reason): void => {
    expect(copyStatus({ storedAt }, facts({ [reason]: 10 }), now))
      .toEqual({ status: 'DELETION_DUE', deletionDueSince: now, deletionReason: reason });
  });

  it('is due since the earliest trigger; the first in order wins a tie.', (): void => {
    const minute = fc.option(fc.integer({ min: 0, max: 12 }), { nil: undefined });
    const minutes = fc.array(minute, { minLength: 5, maxLength: 5 });
    fc.assert(fc.property(minutes, (chosen): void => {
      const reasons = order.map((reason, place): [string, number | undefined] => [ reason, chosen[place] ])
        .filter((entry): entry is [string, number] => entry[1] !== undefined);
      const [ first ] = reasons.filter(([ , minute ]): boolean => minute <= 10)
        .sort(([ , one ], [ , other ]): number => one - other);
      expect(copyStatus({ storedAt }, facts(Object.fromEntries(reasons)), now)).toEqual(first ?
          { status: 'DELETION_DUE', deletionDueSince: at(first[1]), deletionReason: first[0] } :
          { status: 'STORED' });
    }));
  });

  it('is "deleted" once that was reported, for the reported reason.', (): void => {
    const deletedAt = at(5);
    expect(copyStatus({ storedAt, deletedAt }, facts({}), now)).toEqual({ status: 'DELETED' });
    expect(copyStatus({ storedAt, deletedAt }, facts({ GRANT_REVOKED: 3 }), now))
      .toEqual({ status: 'DELETED', deletionDueSince: at(3), deletionReason: 'GRANT_REVOKED' });
    expect(copyStatus({ storedAt, deletedAt, deletionReason: 'NO_LONGER_NEEDED' }, facts({ GRANT_REVOKED: 3 }), now))
      .toEqual({ status: 'DELETED', deletionDueSince: at(3), deletionReason: 'NO_LONGER_NEEDED' });
  });

  it('is not due before it was made.', (): void => {
    expect(copyStatus({ storedAt: at(8) }, facts({ VC_INVALID: 3, GRANT_REVOKED: 5 }), now))
      .toEqual({ status: 'DELETION_DUE', deletionDueSince: at(8), deletionReason: 'VC_INVALID' });
  });

  it('does not change after deletion.', (): void => {
    expect(copyStatus({ storedAt, deletedAt: at(5) }, facts({ GRANT_REVOKED: 6 }), now)).toEqual({ status: 'DELETED' });
  });
});

describe('The credential that a copy was made of', (): void => {
  const copy = { storedAt: at(3), reportedAt: at(4) };

  it('is valid as long as it is stored unchanged.', (): void => {
    expect(invalidSince(copy, { createdAt: at(1), modifiedAt: at(1) })).toBeUndefined();
    expect(invalidSince(copy, { createdAt: at(1), modifiedAt: at(2) })).toBeUndefined();
  });

  it('is invalid since it was found so, or since a newer version superseded it.', (): void => {
    expect(invalidSince(copy, { createdAt: at(1), modifiedAt: at(1), invalidAt: at(6) })).toEqual(at(6));
    expect(invalidSince(copy, { createdAt: at(1), modifiedAt: at(5) })).toEqual(at(5));
    expect(invalidSince(copy, { createdAt: at(1), modifiedAt: at(5), invalidAt: at(6) })).toEqual(at(5));
    expect(invalidSince(copy, { createdAt: at(1), modifiedAt: at(5), invalidAt: at(4) })).toEqual(at(4));
  });

  it('is not taken for an earlier version by a clock that is up to a minute slow.', (): void => {
    const late = { storedAt: at(3), reportedAt: at(6) };
    expect(invalidSince(late, { createdAt: at(1), modifiedAt: at(4) })).toBeUndefined();
    expect(invalidSince(late, { createdAt: at(1), modifiedAt: at(5) })).toEqual(at(5));
    const early = { storedAt: at(0), reportedAt: at(2) };
    expect(invalidSince(early, { createdAt: at(1), modifiedAt: at(1) })).toBeUndefined();
  });
});
