import type { NewId } from '../../platform/clock';
import type { Database } from '../../storage/schema';
import type { Job, JobKind, JobStore } from '../PlanStores';

/** Jobs in the records. A single statement decides who holds a job, so that only one of two processes does. */
export class SqlJobStore implements JobStore {
  public constructor(private readonly db: Database, private readonly newId: NewId) {}

  public async add(kind: JobKind, subject: string, dueAt: Date): Promise<void> {
    // A new id, so that a process that still holds the earlier job cannot end this one. It keeps its hold, so that no
    // attempt overlaps with its own.
    const fresh = { id: this.newId(), dueAt: dueAt.getTime(), attempts: 0 };
    await this.db.insertInto('planJobs').values({ ...fresh, kind, subject, holder: null, heldUntil: 0 })
      .onConflict((conflict): ReturnType<ReturnType<typeof conflict.columns>['doUpdateSet']> =>
        conflict.columns([ 'kind', 'subject' ]).doUpdateSet(fresh))
      .execute();
  }

  public async claim(
    holder: string,
    now: Date,
    kinds: readonly JobKind[],
    until: (kind: JobKind) => Date,
  ): Promise<Job | undefined> {
    const due = await this.db.selectFrom('planJobs').select([ 'id', 'kind' ])
      .where('kind', 'in', kinds)
      .where('dueAt', '<=', now.getTime())
      .where('heldUntil', '<=', now.getTime())
      .orderBy('dueAt')
      .limit(10)
      .execute();
    // The kind is one of those in the query.
    for (const { id, kind } of due) {
      const taken = await this.db.updateTable('planJobs')
        .set((row): object => ({
          holder,
          heldUntil: until(kind as JobKind).getTime(),
          attempts: row('attempts', '+', 1),
        }))
        .where('id', '=', id)
        // Another process may have made an attempt meanwhile.
        .where('dueAt', '<=', now.getTime())
        .where('heldUntil', '<=', now.getTime())
        .returning([ 'id', 'kind', 'subject', 'attempts' ])
        .executeTakeFirst();
      if (taken) {
        return { ...taken, kind: taken.kind as JobKind };
      }
    }
    return undefined;
  }

  public async keep(id: string, holder: string, until: Date): Promise<boolean> {
    const { numUpdatedRows } = await this.db.updateTable('planJobs').set({ heldUntil: until.getTime() })
      .where('id', '=', id)
      .where('holder', '=', holder)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  public async end(id: string, holder: string, again?: Date): Promise<boolean> {
    if (again) {
      const { numUpdatedRows } = await this.db.updateTable('planJobs')
        .set({ dueAt: again.getTime(), heldUntil: 0, holder: null })
        .where('id', '=', id)
        .where('holder', '=', holder)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    }
    const { numDeletedRows } = await this.db.deleteFrom('planJobs')
      .where('id', '=', id)
      .where('holder', '=', holder)
      .executeTakeFirst();
    return numDeletedRows > 0n;
  }

  public async release({ id, kind, subject }: Job, holder: string): Promise<void> {
    await this.db.updateTable('planJobs').set({ holder: null, heldUntil: 0 })
      .where('kind', '=', kind)
      .where('subject', '=', subject)
      .where('holder', '=', holder)
      .where('id', '<>', id)
      .execute();
  }
}
