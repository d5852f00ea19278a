import { ParameterInvalid } from '../problems';

/** Start of a page in a caller's list: first its own copies, then those of its resources. */
export interface ListPosition {
  of: 'user' | 'owner';
  cursor?: string;
}

/**
 * Reads the position in a cursor; the beginning without one.
 *
 * @throws ParameterInvalid when {@link writePosition} did not make it.
 */
export function readPosition(cursor: string | undefined): ListPosition {
  if (cursor === undefined) {
    return { of: 'user' };
  }
  const [ , of, rest ] = /^(user|owner)\.(.*)$/u.exec(cursor) ?? [];
  if (of !== 'user' && of !== 'owner') {
    throw new ParameterInvalid('cursor was not given by this operation.');
  }
  return { of, ...rest !== '' && { cursor: rest }};
}

/** Returns the cursor of a position. */
export function writePosition({ of, cursor = '' }: ListPosition): string {
  return `${of}.${cursor}`;
}

/**
 * Returns the position after a page: the store's next cursor, otherwise the second part of the list. A caller without
 * pods has no second part.
 */
export function following({ of }: ListPosition, next: string | undefined, ownsPods: boolean): ListPosition | undefined {
  if (next !== undefined) {
    return { of, cursor: next };
  }
  return of === 'user' && ownsPods ? { of: 'owner' } : undefined;
}
