import type { InvitationStore } from '../../identity/InvitationStore';
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
}
