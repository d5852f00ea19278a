import type { ContractUseStore } from '../../contracts/ContractUseStore';
import type { Engine } from '../database/engine';
import { LookUp } from '../database/LookUp';
import type { Database } from '../schema';

const byId = new LookUp(({ db }, contractId: string) =>
  db.selectFrom('contractUses').select('digest').where('contractId', '=', contractId));

/** First uses of contracts in the records. */
export class SqlContractUseStore implements ContractUseStore {
  public constructor(
    private readonly db: Database,
    private readonly engine: Engine,
  ) {}

  public async recordFirstUse(contractId: string, digest: string, at: Date): Promise<string> {
    const used = await this.find(contractId);
    if (used !== undefined) {
      return used;
    }
    await this.db.insertInto('contractUses').values({ contractId, digest, firstUsedAt: at.getTime() })
      .onConflict(conflict => conflict.doNothing())
      .execute();
    // Inserted here, or by somebody else at the same moment.
    return (await this.find(contractId))!;
  }

  public async find(contractId: string): Promise<string | undefined> {
    return (await byId.first(this.db, this.engine, contractId))?.digest;
  }

  public async list(): Promise<Map<string, string>> {
    const rows = await this.db.selectFrom('contractUses').selectAll().execute();
    return new Map(rows.map(({ contractId, digest }): [string, string] => [ contractId, digest ]));
  }
}
