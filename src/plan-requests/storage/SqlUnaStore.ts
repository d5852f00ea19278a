import type { Database, PlanUnaTable } from '../../storage/schema';
import type { Una, UnaStore } from '../PlanStores';
import { nextVersion } from './zoneVersion';

/** Utility network authorities in the records. */
export class SqlUnaStore implements UnaStore {
  public constructor(private readonly db: Database) {}

  public async find(id: string): Promise<Una | undefined> {
    const row = await this.db.selectFrom('planUnas').selectAll().where('id', '=', id).executeTakeFirst();
    return row && toUna(row);
  }

  public async listOf(organisationId: string): Promise<Una[]> {
    const rows = await this.db.selectFrom('planUnas').selectAll().where('organisationId', '=', organisationId)
      .orderBy('id')
      .execute();
    return rows.map(toUna);
  }

  public async save({ isKlim, signingSubject, ...una }: Una): Promise<void> {
    const version = await nextVersion(this.db);
    const row = { ...una, isKlim: Number(isKlim), signingSubject: signingSubject ?? null, version };
    await this.db.insertInto('planUnas').values(row)
      .onConflict((conflict): ReturnType<ReturnType<typeof conflict.column>['doUpdateSet']> =>
        conflict.column('id').doUpdateSet(row))
      .execute();
  }
}

/** Converts a stored authority. */
export function toUna({ id, organisationId, name, isKlim, signingSubject }: PlanUnaTable): Una {
  return { id, organisationId, name, isKlim: isKlim === 1, ...signingSubject !== null && { signingSubject }};
}
