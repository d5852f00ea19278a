import type { Call, Parameter } from '../http/Operation';
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

/** URL of the page that starts at a cursor, with the parameters of this call. */
export function nextUrl({ url }: Pick<Call, 'url'>, cursor: string | undefined): string | null {
  if (cursor === undefined) {
    return null;
  }
  const next = new URL(url);
  next.searchParams.set('cursor', cursor);
  return next.href;
}
