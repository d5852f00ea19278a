import { codeOf } from './errors';

/**
 * Checks whether PostgreSQL refused a row because a text in it is too long for an index (`program_limit_exceeded`). How
 * long it may be depends on how well it can be compressed. SQLite has no such limit.
 */
export function isTooLongToIndex(error: unknown): boolean {
  return codeOf(error) === '54000';
}
