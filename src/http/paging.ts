import type { Call, Parameter } from './Operation';
import type { ListRequest } from './Services';

const defaultLimit = 50;

/** Query parameters of every list. */
export const pageParameters: Record<string, Parameter> = {
  limit: {
    schema: { type: 'integer', minimum: 1, maximum: 200, default: defaultLimit },
    description: 'Most entries on a page.',
  },
  cursor: {
    schema: { type: 'string', minLength: 1, maxLength: 512 },
    description: 'Where the page starts: taken from `next` of the page before, never made by the caller.',
  },
};

/** The page that a call asks for. */
export function pageOf({ query }: Call): ListRequest {
  return { limit: query.limit as number | undefined ?? defaultLimit, cursor: query.cursor as string | undefined };
}

/** URL of the page that starts at a cursor, with the parameters of this call. */
export function nextUrl({ url }: Call, cursor: string | undefined): string | null {
  if (cursor === undefined) {
    return null;
  }
  const next = new URL(url);
  next.searchParams.set('cursor', cursor);
  return next.href;
}
