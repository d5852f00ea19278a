import { ParameterInvalid } from '../problems';

/** Start of a page in the list of a caller: first its own copies, then those of its resources. */
export interface ListPosition {
  of: 'user' | 'owner';
  cursor?: string;
}

/**
 * The place that a cursor names: the beginning without one.
 *
 * @throws ParameterInvalid when it is none that {@link writePosition} made.
 */
export function readPosition(cursor: string | undefined): ListPosition {
  if (cursor === undefined) {
    return { of: 'user' };
  }
  const [ , of, rest ] = /^(user|owner)\.(.*)$/u.exec(cursor) ?? [];
  if (of !== 'user' && of !== 'owner') {
    throw new ParameterInvalid('cursor is not one that this operation gave.');
  }
  return { of, ...rest !== '' && { cursor: rest }};
}

/** The cursor that names a place. */
export function writePosition({ of, cursor = '' }: ListPosition): string {
  return `${of}.${cursor}`;
}

/**
 * The place after a page: where the store goes on, else the second part of the list. A caller without pods has none.
 */
export function following({ of }: ListPosition, next: string | undefined, ownsPods: boolean): ListPosition | undefined {
  if (next !== undefined) {
    return { of, cursor: next };
  }
  return of === 'user' && ownsPods ? { of: 'owner' } : undefined;
}
