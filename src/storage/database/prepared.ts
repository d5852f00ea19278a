import type { PoolClient } from 'pg';
import { opened } from '../../platform/opened';

/** Names of statements, by their text: the same on every connection. */
const names = new Map<string, string>();

/** All columns of a table. */
const allColumns = /(?:select|returning) \*|"\.\*/u;

/**
 * Has every connection to PostgreSQL parse and plan a statement once, and only run it from then on. For statements
 * whose text is made once: each of them stays for as long as the connection.
 *
 * One that answers all columns of a table is left as it is: PostgreSQL refuses to go on with it once a migration of
 * another node has added one.
 */
export function prepared<TQuery extends { readonly sql: string }>(query: TQuery): TQuery {
  if (!allColumns.test(query.sql) && !names.has(query.sql)) {
    names.set(query.sql, `statement_${names.size}`);
  }
  return query;
}

/** Has a connection name the statements that are {@link prepared}. */
export function usePrepared(client: PoolClient): void {
  const query = opened<{ query: (...args: unknown[]) => unknown }>(client).query.bind(client);
  function named(text: unknown, ...args: unknown[]): unknown {
    const name = typeof text === 'string' ? names.get(text) : undefined;
    return name === undefined ? query(text, ...args) : query({ name, text }, ...args);
  }
  Object.assign(client, { query: named });
}
