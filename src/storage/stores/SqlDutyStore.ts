import type { DutyStore } from '../../platform/DutyStore';
import type { Database } from '../schema';

/**
 * Duties in the records. A single statement decides, so that only one of two processes gets a duty. One that is held
 * for longer than duties can be was taken by a clock that was ahead, and counts as free.
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
