import { CompiledQuery } from 'kysely';
import type { Database } from '../schema';
import type { Engine } from './engine';

/**
 * Reads the rows of a query, given as text. Outside of transactions it sees what was last committed, by whichever
 * process; inside of one, what that one sees.
 *
 * @param on - Where to read.
 * @param on.db - The database, or a transaction in it.
 * @param on.engine - Its kind.
 * @param text - With `?` for each value, and no other question mark. SQLite keeps a statement for each text, so there
 *   must be few.
 * @param values - In their order.
 */
export async function readRows<TRow>(
  { db, engine }: { db: Database; engine: Engine },
  text: string,
  values: readonly (number | string)[],
): Promise<TRow[]> {
  const rows = db.isTransaction ? undefined : engine.readCommitted?.<TRow>(text, values, false);
  if (rows) {
    return rows;
  }
  const query = CompiledQuery.raw(engine.name === 'postgres' ? numbered(text) : text, [ ...values ]);
  return (await db.executeQuery<TRow>(query)).rows;
}

/** PostgreSQL numbers placeholders. */
function numbered(text: string): string {
  let number = 0;
  return text.replaceAll('?', (): string => {
    number += 1;
    return `$${number}`;
  });
}
