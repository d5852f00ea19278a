import type { PoolClient } from 'pg';
import { opened } from '../../platform/opened';

/** Names of statements by their text, the same on every connection. */
const names = new Map<string, string>();

/** All columns of a table. */
const allColumns = /(?:select|returning) \*|"\.\*/u;

/**
 * Has every connection to PostgreSQL parse and plan a statement only once. For statements with a constant text: a
 * connection keeps each of them as long as it is open.
 *
 * Statements that return all columns of a table stay unnamed: PostgreSQL refuses to run them again once another node's
 * migration has added a column.
 */
export function prepared<TQuery extends { readonly sql: string }>(query: TQuery): TQuery {
  if (!allColumns.test(query.sql) && !names.has(query.sql)) {
    names.set(query.sql, `statement_${names.size}`);
  }
  return query;
}

/** Makes a connection name the statements that are {@link prepared}. */
export function usePrepared(client: PoolClient): void {
  const query = opened<{ query: (...args: unknown[]) => unknown }>(client).query.bind(client);
  function named(text: unknown, ...args: unknown[]): unknown {
    const name = typeof text === 'string' ? names.get(text) : undefined;
    return name === undefined ? query(text, ...args) : query({ name, text }, ...args);
  }
  Object.assign(client, { query: named });
}
