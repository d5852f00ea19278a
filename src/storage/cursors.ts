import { sql } from 'kysely';
import type { Expression, SqlBool } from 'kysely';
import { ParameterInvalid } from '../problems';
import { isWholeNumber } from '../platform/lists';
import { parseList } from '../platform/parseJson';
import type { Time } from './schema';

/** Position of a row in a list that is sorted by time and id, newest first. */
export interface RowPosition {
  at: Time;
  id: string;
}

/** Returns the position that two values of a cursor give; `undefined` when they are none. */
export function findPosition(at: unknown, id: unknown): RowPosition | undefined {
  return isWholeNumber(at) && typeof id === 'string' && !id.includes('\0') ? { at, id } : undefined;
}

function toCursor({ at, id }: RowPosition): string {
  return Buffer.from(JSON.stringify([ at, id ])).toString('base64url');
}

function parseCursor(cursor: string): RowPosition {
  const [ at, id, ...rest ] = parseList(Buffer.from(cursor, 'base64url').toString());
  const position = findPosition(at, id);
  if (position && rest.length === 0) {
    return position;
  }
  throw new ParameterInvalid('cursor was not given by this operation');
}

/**
 * Checks whether a row comes after a cursor in a list that is sorted by time and `id`, newest first.
 *
 * @throws ParameterInvalid when this service did not make the cursor.
 */
export function isAfterCursor(timeColumn: string, cursor: string): Expression<SqlBool> {
  const { at, id } = parseCursor(cursor);
  return sql<SqlBool>`(${sql.ref(timeColumn)}, id) < (${at}, ${id})`;
}

/**
 * Cuts a page from the rows of a query for one row more than the limit.
 *
 * @param rows - In the order of the list.
 * @param limit - Maximum rows of the page.
 * @param position - Returns the position of a row in the list.
 */
export function cutRows<T>(rows: T[], limit: number, position: (row: T) => RowPosition): { rows: T[]; next?: string } {
  return rows.length > limit ?
      { rows: rows.slice(0, limit), next: toCursor(position(rows[limit - 1])) } :
      { rows };
}
