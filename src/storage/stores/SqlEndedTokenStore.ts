import type { EndedTokens } from '../../tokens/EndedTokens';
import type { Engine } from '../database/engine';
import { LookUp } from '../database/LookUp';
import type { Database } from '../schema';

/** Longer than any token of the server's own identity provider is valid. */
const keptMs = 24 * 3600 * 1000;

const lastEnd = new LookUp(({ db, engine }, subjects: readonly string[]) =>
  db.selectFrom('endedTokens').select('endedAt')
    .where(engine.isAnyOf('subject', subjects))
    .orderBy('endedAt', 'desc'), { isFrequent: true });

/** Ended tokens in the records. */
export class SqlEndedTokenStore implements EndedTokens {
  public constructor(
    private readonly db: Database,
    private readonly engine: Engine,
  ) {}

  public async end(subjects: readonly string[], at: Date): Promise<void> {
    await this.record(subjects, at.getTime(), at.getTime());
  }

  public async endForGood(clients: readonly string[], at: Date): Promise<void> {
    // No token that can be used by then is issued later.
    await this.record(clients, at.getTime() + keptMs, at.getTime());
  }

  public async endedAt(subjects: readonly string[]): Promise<Date | undefined> {
    const row = await lastEnd.first(this.db, this.engine, subjects);
    return row && new Date(row.endedAt);
  }

  private async record(subjects: readonly string[], endedAt: number, now: number): Promise<void> {
    await this.db.deleteFrom('endedTokens').where('endedAt', '<', now - keptMs).execute();
    for (const subject of subjects) {
      await this.db.insertInto('endedTokens').values({ subject, endedAt })
        // The clock of another node may be ahead.
        .onConflict(conflict => conflict.column('subject').doUpdateSet({ endedAt })
          .where('endedTokens.endedAt', '<', endedAt))
        .execute();
    }
  }
}
