/* eslint-disable @typescript-eslint/explicit-function-return-type -- query builders */
import type { ContractUseStore } from '../contracts/ContractUseStore';
import type { Database } from './schema';

/** First uses of contracts in the records. */
export class SqlContractUseStore implements ContractUseStore {
  public constructor(private readonly db: Database) {}

  public async recordFirstUse(contractId: string, digest: string, at: Date): Promise<string> {
    await this.db.insertInto('contractUses').values({ contractId, digest, firstUsedAt: at.getTime() })
      .onConflict(conflict => conflict.doNothing())
      .execute();
    const row = await this.db.selectFrom('contractUses').select('digest').where('contractId', '=', contractId)
      .executeTakeFirstOrThrow();
    return row.digest;
  }

  public async list(): Promise<Map<string, string>> {
    const rows = await this.db.selectFrom('contractUses').selectAll().execute();
    return new Map(rows.map(({ contractId, digest }): [string, string] => [ contractId, digest ]));
  }
}
