import type { PodOwnerStore } from '../../identity/PodOwnerStore';
import { toDate } from '../columns';
import { atomically } from '../database/engine';
import type { Engine } from '../database/engine';
import { LookUp } from '../database/LookUp';
import type { Database } from '../schema';
import type { WebId } from '../../platform/webId';

const ownedOf = new LookUp(({ db, engine }, webId: WebId, podUrls: readonly string[]) =>
  db.selectFrom('podOwners').select('podUrl')
    .where('webId', '=', webId)
    .where(engine.isAnyOf('podUrl', podUrls)), { decides: true });

const ownersOf = new LookUp(({ db, engine }, podUrls: readonly string[]) =>
  db.selectFrom('podOwners').select('webId').where(engine.isAnyOf('podUrl', podUrls)), { decides: true });

const maxExpected = 1000;
/** Id of the only row of `podSearches`. */
const searchId = 1;

/** Pod owners in the records. */
export class SqlPodOwnerStore implements PodOwnerStore {
  public constructor(
    private readonly db: Database,
    private readonly engine: Engine,
  ) {}

  public async set(podUrl: string, webIds: string[]): Promise<void> {
    await atomically(this.db, async(trx): Promise<void> => {
      await trx.deleteFrom('podOwners').where('podUrl', '=', podUrl).execute();
      await trx.deleteFrom('expectedPods').where('podUrl', '=', podUrl).execute();
      for (const webId of webIds) {
        await trx.insertInto('podOwners').values({ podUrl, webId })
          .onConflict(conflict => conflict.doNothing())
          .execute();
      }
    });
  }

  public async podsOf(webId: WebId): Promise<string[]> {
    const rows = await this.db.selectFrom('podOwners').select('podUrl').where('webId', '=', webId)
      .orderBy('podUrl').execute();
    return rows.map(({ podUrl }): string => podUrl);
  }

  public async ownersOfAny(podUrls: string[]): Promise<string[]> {
    return (await ownersOf.all(this.db, this.engine, podUrls)).map(({ webId }): string => webId);
  }

  public async ownsAny(webId: WebId): Promise<boolean> {
    const found = await this.db.selectFrom('podOwners').select('podUrl').where('webId', '=', webId).limit(1)
      .executeTakeFirst();
    return found !== undefined;
  }

  public async isOwnerOfAny(webId: WebId, podUrls: string[]): Promise<boolean> {
    return await ownedOf.first(this.db, this.engine, webId, podUrls) !== undefined;
  }

  public async has(podUrl: string): Promise<boolean> {
    const found = await this.db.selectFrom('podOwners').select('podUrl').where('podUrl', '=', podUrl).limit(1)
      .executeTakeFirst();
    return found !== undefined;
  }

  public async expect(podUrl: string, since: Date): Promise<void> {
    await this.db.insertInto('expectedPods').values({ podUrl, since: since.getTime() })
      .onConflict(conflict => conflict.column('podUrl').doUpdateSet({ since: since.getTime() }))
      .execute();
  }

  public async listExpected(before: Date): Promise<string[]> {
    const rows = await this.db.selectFrom('expectedPods').select('podUrl').where('since', '<', before.getTime())
      .orderBy('since').limit(maxExpected).execute();
    return rows.map(({ podUrl }): string => podUrl);
  }

  public async forgetExpected(podUrl: string): Promise<void> {
    await this.db.deleteFrom('expectedPods').where('podUrl', '=', podUrl).execute();
  }

  public async searchedAt(): Promise<Date | undefined> {
    const row = await this.db.selectFrom('podSearches').select('endedAt').where('id', '=', searchId).executeTakeFirst();
    return row && toDate(row.endedAt);
  }

  public async endSearch(at: Date): Promise<void> {
    const endedAt = at.getTime();
    await this.db.insertInto('podSearches').values({ id: searchId, endedAt })
      .onConflict(conflict => conflict.column('id').doUpdateSet({ endedAt }))
      .execute();
  }
}
