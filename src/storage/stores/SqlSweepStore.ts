import type { Sweep, SweepStore } from '../../resources/SweepStore';
import { toDate, toTime } from '../columns';
import type { Database, SweepTable } from '../schema';

/** Id of the only row. */
const id = 1;

/** The latest sweep in the records. */
export class SqlSweepStore implements SweepStore {
  public constructor(private readonly db: Database) {}

  public async find(): Promise<Sweep | undefined> {
    const row = await this.db.selectFrom('sweeps').selectAll().where('id', '=', id).executeTakeFirst();
    return row && toSweep(row);
  }

  public async begin(at: Date, isHurried: boolean): Promise<void> {
    const row = toRow({
      beganAt: at,
      isHurried,
      stage: 'citizens',
      position: '',
      pods: 0,
      removed: 0,
      marked: 0,
      failed: 0,
    });
    await this.db.insertInto('sweeps').values(row)
      .onConflict((conflict): ReturnType<ReturnType<typeof conflict.column>['doUpdateSet']> =>
        conflict.column('id').doUpdateSet(row))
      .execute();
  }

  public async advance(from: Sweep, to: Sweep): Promise<boolean> {
    const { numUpdatedRows } = await this.db.updateTable('sweeps').set(toRow(to))
      .where('id', '=', id)
      .where('beganAt', '=', from.beganAt.getTime())
      .where('hurried', '=', Number(from.isHurried))
      .where('stage', '=', from.stage)
      .where('position', '=', from.position)
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0n;
  }
}

function toRow({ beganAt, endedAt, isHurried, ...sweep }: Sweep): SweepTable {
  return { id, ...sweep, beganAt: beganAt.getTime(), endedAt: toTime(endedAt), hurried: Number(isHurried) };
}

function toSweep({ beganAt, endedAt, hurried, stage, position, pods, removed, marked, failed }: SweepTable): Sweep {
  return {
    beganAt: toDate(beganAt),
    endedAt: toDate(endedAt),
    isHurried: hurried === 1,
    stage,
    position,
    pods,
    removed,
    marked,
    failed,
  };
}
