import { invitationId } from '../../identity/InvitationStore';
import type { InvitationStore, OpenInvitation } from '../../identity/InvitationStore';
import type { Database } from '../schema';

/** Invitations in the records. */
export class SqlInvitationStore implements InvitationStore {
  public constructor(private readonly db: Database) {}

  public async add(digest: string, lapsesAt: Date, now: Date): Promise<void> {
    await this.db.deleteFrom('invitations').where('lapsesAt', '<=', now.getTime()).execute();
    await this.db.insertInto('invitations').values({ digest, lapsesAt: lapsesAt.getTime() }).execute();
  }

  public async isOpen(digests: readonly string[], now: Date): Promise<boolean> {
    const row = await this.db.selectFrom('invitations').select('digest')
      .where('digest', 'in', digests)
      .where('lapsesAt', '>', now.getTime())
      .executeTakeFirst();
    return row !== undefined;
  }

  public async take(digests: readonly string[], now: Date): Promise<boolean> {
    const { numDeletedRows } = await this.db.deleteFrom('invitations')
      .where('digest', 'in', digests)
      .where('lapsesAt', '>', now.getTime())
      .executeTakeFirstOrThrow();
    return numDeletedRows > 0n;
  }

  public async listOpen(now: Date): Promise<OpenInvitation[]> {
    const rows = await this.db.selectFrom('invitations').select([ 'digest', 'lapsesAt' ])
      .where('lapsesAt', '>', now.getTime())
      .orderBy('lapsesAt')
      .orderBy('digest')
      .execute();
    return rows.map(({ digest, lapsesAt }): OpenInvitation =>
      ({ id: invitationId(digest), lapsesAt: new Date(lapsesAt) }));
  }

  public async withdraw(id: string, now: Date): Promise<boolean> {
    const rows = await this.db.selectFrom('invitations').select('digest')
      .where('lapsesAt', '>', now.getTime())
      .execute();
    const digests = rows.map(({ digest }): string => digest)
      .filter((digest): boolean => invitationId(digest) === id);
    return digests.length > 0 && this.take(digests, now);
  }
}
