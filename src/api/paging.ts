import type { Call, Parameter } from '../http/Operation';
import { ParameterInvalid } from '../problems';
import { parseOwn } from '../platform/ownJson';
import type { ListRequest } from './Services';

const defaultLimit = 50;

/** Query parameters of every list. */
export const pageParameters = {
  limit: {
    schema: { type: 'integer', minimum: 1, maximum: 200, default: defaultLimit },
    description: 'Most entries on a page.',
  },
  cursor: {
    schema: { type: 'string', minLength: 1, maxLength: 512 },
    description: 'Where the page starts: taken from `next` of the page before, never made by the caller.',
  },
} as const satisfies Record<string, Parameter>;

/** Values of {@link pageParameters}. */
export interface PageValues {
  limit?: number;
  cursor?: string;
}

/** The page that a call asks for. */
export function pageOf({ query: { limit = defaultLimit, cursor }}: Call<{ query: PageValues }>): ListRequest {
  return { limit, cursor };
}

/**
 * Cuts the page that a call asks for out of a whole list.
 *
 * @param all - Sorted by `key`, as text is compared.
 * @param key - Of an entry: pages start after one, whether it is still there or not.
 * @param call - Asks for the page.
 *
 * @throws ParameterInvalid when the cursor is none of ours.
 */
export function cutPage<T>(
  all: readonly T[],
  key: (entry: T) => string,
  call: Call<{ query: PageValues }>,
): { entries: T[]; next: string | null } {
  const { limit, cursor } = pageOf(call);
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const rest = after === undefined ? all : all.filter((entry): boolean => key(entry) > after);
  const entries = rest.slice(0, limit);
  const next = rest.length > limit ? makeCursor(key(entries[limit - 1])) : undefined;
  return { entries, next: nextUrl(call, next) };
}

function makeCursor(key: string): string {
  return Buffer.from(JSON.stringify([ key ])).toString('base64url');
}

function readCursor(cursor: string): string {
  try {
    const [ key ] = parseOwn<unknown[]>(Buffer.from(cursor, 'base64url').toString());
    if (typeof key === 'string' && makeCursor(key) === cursor) {
      return key;
    }
  } catch {
    // Not JSON: answered below.
  }
  throw new ParameterInvalid('cursor is not one that this operation gave');
}

/** URL of the page that starts at a cursor, with the parameters of this call. */
export function nextUrl({ url }: Pick<Call, 'url'>, cursor: string | undefined, name = 'cursor'): string | null {
  if (cursor === undefined) {
    return null;
  }
  const next = new URL(url);
  next.searchParams.set(name, cursor);
  return next.href;
}
