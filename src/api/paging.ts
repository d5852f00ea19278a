import type { Call, Parameter } from '../http/Operation';
import { ParameterInvalid } from '../problems';
import { parseOwn } from '../platform/ownJson';
import type { ListRequest } from './Services';

const defaultLimit = 50;
/** As long as a request line can be: a cursor may contain the URI of a resource. */
const maxCursorLength = 16_384;

/** Query parameters of every list. */
export const pageParameters = {
  limit: {
    schema: { type: 'integer', minimum: 1, maximum: 200, default: defaultLimit },
    description: 'Most entries on a page.',
  },
  cursor: {
    schema: { type: 'string', minLength: 1, maxLength: maxCursorLength },
    description: 'Where the page starts: taken from `next` of the page before, never made by the caller.',
  },
} as const satisfies Record<string, Parameter>;

/** Values of {@link pageParameters}. */
export interface PageValues {
  limit?: number;
  cursor?: string;
}

/** Reads which page a call asks for. */
export function pageOf({ query: { limit = defaultLimit, cursor }}: Call<{ query: PageValues }>): ListRequest {
  return { limit, cursor };
}

/**
 * Selects the page that a call asks for from a whole list.
 *
 * @param all - The list, sorted by `key` in text order.
 * @param key - Returns the key of an entry. A page starts after the key in its cursor, even when that entry is gone.
 * @param call - Call that asks for the page.
 *
 * @throws ParameterInvalid when the cursor is not one that this service issued.
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
    // Not JSON: refused below.
  }
  throw new ParameterInvalid('cursor was not given by this operation');
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
