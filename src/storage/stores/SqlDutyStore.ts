import type { DutyStore } from '../../platform/DutyStore';
import type { Database } from '../schema';

/**
 * Duties in the records: one statement decides, so that of two processes one gets it. One that was taken by a clock
 * that was ahead is free: nobody takes a duty for so long.
 */
export class SqlDutyStore implements DutyStore {
  public constructor(private readonly db: Database) {}

  public async take(name: string, holder: string, now: Date, until: Date): Promise<boolean> {
    const longest = (2 * until.getTime()) - now.getTime();
    const taken = await this.db.insertInto('duties').values({ name, holder, until: until.getTime() })
      .onConflict((conflict): ReturnType<ReturnType<typeof conflict.column>['doUpdateSet']> =>
        conflict.column('name').doUpdateSet({ holder, until: until.getTime() })
          .where((row): ReturnType<typeof row.or> => row.or([
            row('duties.holder', '=', holder),
            row('duties.until', '<=', now.getTime()),
            row('duties.until', '>', longest),
          ])))
      .returning('name')
      .executeTakeFirst();
    return taken !== undefined;
  }
}
