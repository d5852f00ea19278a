import { sql } from 'kysely';
import { atomically } from '../database/engine';
import { Statement } from '../database/Statement';
import type { Database, KeyValueTable } from '../schema';
import { codeOf } from '../../platform/errors';
import { lastOf } from '../../platform/lists';

const entriesAtOnce = 500;

/** PostgreSQL's code when two transactions add the same keys in different orders. */
const deadlock = '40P01';

/** Values by key; `undefined` where there is none. */
type TextsAtOnce = ReadonlyMap<string, string | undefined>;

const valueOf = new Statement((db, key: string) =>
  db.selectFrom('keyValues').select('value').where('key', '=', key));

const setting = new Statement((db, key: string, value: string) => db.insertInto('keyValues').values({ key, value })
  .onConflict(conflict => conflict.column('key').doUpdateSet({ value: eb => eb.ref('excluded.value') })));

/** Values of the server itself by key, in PostgreSQL: every node sees them as soon as they are set. */
export class SqlKeyValues {
  public constructor(private readonly db: Database) {}

  /** Finds a value, as JSON text. */
  public async get(key: string): Promise<string | undefined> {
    const row = await valueOf.first(this.db, key);
    return row?.value;
  }

  public async set(key: string, value: string): Promise<void> {
    await setting.run(this.db, key, value);
  }

  /**
   * Writes and removes several values in one transaction, unless the stored values have changed.
   *
   * @param seen - The values that must still be stored.
   * @param written - The values to store.
   *
   * @returns False when the stored values have changed; then nothing is written.
   */
  public async replace(seen: TextsAtOnce, written: TextsAtOnce): Promise<boolean> {
    try {
      await atomically(this.db, async(trx): Promise<void> => {
        await requireStored(trx, seen);
        await write(trx, seen, written);
      });
      return true;
    } catch (error: unknown) {
      if (error instanceof Overtaken || codeOf(error) === deadlock) {
        return false;
      }
      throw error;
    }
  }

  /** Removes a value; returns true when there was one. */
  public async delete(key: string): Promise<boolean> {
    const { numDeletedRows } = await this.db.deleteFrom('keyValues').where('key', '=', key).executeTakeFirst();
    return numDeletedRows > 0n;
  }

  /** Iterates over the entries whose key has this prefix, in the order of keys. Values set meanwhile may be missing. */
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
      after = lastOf(rows).key;
    }
  }
}

/** Rolls a transaction back. */
class Overtaken extends Error {}

/** Locks the rows of existing values, in the order of their keys, so that two changes never deadlock. */
async function requireStored(trx: Database, seen: TextsAtOnce): Promise<void> {
  const rows = await trx.selectFrom('keyValues').selectAll()
    .where('key', '=', sql<string>`any(${[ ...seen.keys() ]})`)
    .orderBy('key')
    .forUpdate()
    .execute();
  const stored = new Map(rows.map(({ key, value }): [string, string] => [ key, value ]));
  if ([ ...seen ].some(([ key, text ]): boolean => stored.get(key) !== text)) {
    throw new Overtaken();
  }
}

/** Writes values. A key without a value must still have none: it had no row to lock. */
async function write(trx: Database, seen: TextsAtOnce, written: TextsAtOnce): Promise<void> {
  const gone = [ ...written ].filter(([ , value ]): boolean => value === undefined).map(([ key ]): string => key);
  if (gone.length > 0) {
    await trx.deleteFrom('keyValues').where('key', '=', sql<string>`any(${gone})`).execute();
  }
  const rows = [ ...written ].flatMap(([ key, value ]): KeyValueTable[] => value === undefined ? [] : [{ key, value }]);
  const added = rows.filter(({ key }): boolean => seen.has(key) && seen.get(key) === undefined);
  if (added.length > 0) {
    const { numInsertedOrUpdatedRows } = await trx.insertInto('keyValues').values(added)
      .onConflict(conflict => conflict.column('key').doNothing())
      .executeTakeFirst();
    if (numInsertedOrUpdatedRows !== BigInt(added.length)) {
      throw new Overtaken();
    }
  }
  const others = rows.filter((row): boolean => !added.includes(row));
  if (others.length > 0) {
    await trx.insertInto('keyValues').values(others)
      .onConflict(conflict => conflict.column('key').doUpdateSet({ value: sql<string>`excluded.value` }))
      .execute();
  }
}
