import type { GuardedFetch } from '../platform/guardedFetch';
import { parseJson } from '../platform/parseJson';

/** Fetches status lists and key documents of others through the guarded fetch. */
export function fetchJson(fetch: GuardedFetch): (url: string) => Promise<unknown> {
  return async(url): Promise<unknown> => {
    const { status, body } = await fetch(url, { accept: 'application/vc, application/ld+json, application/json' });
    if (status !== 200) {
      throw new Error(`${new URL(url).host} answered ${status}`);
    }
    return parseJson(body.toString('utf8'));
  };
}
