import type { Suspension, SuspensionStore } from '../../contracts/SuspensionStore';
import { toDate } from '../columns';
import type { Engine } from '../database/engine';
import { LookUp } from '../database/LookUp';
import type { Database, SuspensionTable } from '../schema';

const byNames = new LookUp(({ db, engine }, names: readonly string[]) =>
  db.selectFrom('suspensions').selectAll().where(engine.isAnyOf('name', names)));

/** Suspensions in the records. */
export class SqlSuspensionStore implements SuspensionStore {
  public constructor(
    private readonly db: Database,
    private readonly engine: Engine,
  ) {}

  public async find(names: string[]): Promise<Suspension | undefined> {
    const row = await byNames.first(this.db, this.engine, names);
    return row && toSuspension(row);
  }

  public async list(): Promise<Suspension[]> {
    return (await this.db.selectFrom('suspensions').selectAll().orderBy('name').execute()).map(toSuspension);
  }

  public async suspend(name: string, at: Date): Promise<boolean> {
    const row = await this.db.insertInto('suspensions').values({ name, suspendedAt: at.getTime() })
      .onConflict(conflict => conflict.doNothing())
      .returning('name')
      .executeTakeFirst();
    return row !== undefined;
  }

  public async resume(name: string): Promise<boolean> {
    const row = await this.db.deleteFrom('suspensions').where('name', '=', name).returning('name').executeTakeFirst();
    return row !== undefined;
  }
}

function toSuspension({ name, suspendedAt }: SuspensionTable): Suspension {
  return { name, suspendedAt: toDate(suspendedAt) };
}
