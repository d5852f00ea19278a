/* eslint-disable @typescript-eslint/explicit-function-return-type -- query builders */
import type { Database } from '../schema';

const entriesAtOnce = 500;

/** Values of the server itself by key, in PostgreSQL: seen by every node as soon as they are set. */
export class SqlKeyValues {
  public constructor(private readonly db: Database) {}

  /** The value as JSON text. */
  public async get(key: string): Promise<string | undefined> {
    const row = await this.db.selectFrom('keyValues').select('value').where('key', '=', key).executeTakeFirst();
    return row?.value;
  }

  public async has(key: string): Promise<boolean> {
    const row = await this.db.selectFrom('keyValues').select('key').where('key', '=', key).executeTakeFirst();
    return row !== undefined;
  }

  public async set(key: string, value: string): Promise<void> {
    await this.db.insertInto('keyValues').values({ key, value })
      .onConflict(conflict => conflict.column('key').doUpdateSet({ value }))
      .execute();
  }

  /** Answers whether there was one. */
  public async delete(key: string): Promise<boolean> {
    const { numDeletedRows } = await this.db.deleteFrom('keyValues').where('key', '=', key).executeTakeFirst();
    return numDeletedRows > 0n;
  }

  /** All whose key begins so, in the order of their keys; what is set meanwhile may be among them or not. */
  public async* entries(prefix: string): AsyncIterableIterator<[key: string, value: string]> {
    const end = `${prefix}\u{10FFFF}`;
    let after = '';
    for (;;) {
      const rows = await this.db.selectFrom('keyValues').selectAll()
        .where('key', '>=', prefix)
        .where('key', '<', end)
        .where('key', '>', after)
        .orderBy('key')
        .limit(entriesAtOnce)
        .execute();
      yield* rows.map(({ key, value }): [string, string] => [ key, value ]);
      if (rows.length < entriesAtOnce) {
        return;
      }
      after = rows.at(-1)!.key;
    }
  }
}
