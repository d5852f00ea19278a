import type { Component } from 'svelte';
import * as share from './Share.svelte';

/** Module of a page. */
export interface Page {
  default: Component;
}

/** The pages by name. All but the question, which most people see first, are loaded when they are first opened. */
const pages = new Map<string, () => Promise<Page>>([
  [ '', async(): Promise<Page> => import('./Home.svelte') ],
  [ 'callback', async(): Promise<Page> => import('./Callback.svelte') ],
  [ 'share', async(): Promise<Page> => share ],
  [ 'check', async(): Promise<Page> => import('./Check.svelte') ],
  [ 'shared', async(): Promise<Page> => import('./Shared.svelte') ],
  [ 'refused', async(): Promise<Page> => import('./Refused.svelte') ],
  [ 'overview', async(): Promise<Page> => import('./Overview.svelte') ],
  [ 'detail', async(): Promise<Page> => import('./Detail.svelte') ],
  [ 'receipt', async(): Promise<Page> => import('./Receipt.svelte') ],
  [ 'stop', async(): Promise<Page> => import('./Stop.svelte') ],
  [ 'data', async(): Promise<Page> => import('./Data.svelte') ],
  [ 'activity', async(): Promise<Page> => import('./Activity.svelte') ],
  [ 'identity', async(): Promise<Page> => import('./Identity.svelte') ],
  [ 'erase', async(): Promise<Page> => import('./Erase.svelte') ],
  [ 'erased', async(): Promise<Page> => import('./Erased.svelte') ],
  [ 'requests', async(): Promise<Page> => import('./Requests.svelte') ],
  [ 'logged-out', async(): Promise<Page> => import('./LoggedOut.svelte') ],
]);

/** Names of the pages whose texts are loaded first: see `early` in `vite.config.mts`. */
const early: ReadonlySet<string> = new Set([ '', 'callback', 'share' ]);

/** Pages that are loaded, by path. */
const loaded = new Map<string, Page>();

/**
 * Loads the page at an address, or the not-found page when there is none.
 *
 * @param path - Such as `/.app/share`.
 */
export async function loadPage(path: string): Promise<Page> {
  const load = pages.get(nameOf(path));
  const page = await (load ? load() : import('./NotFound.svelte'));
  loaded.set(path, page);
  return page;
}

/** Finds a page that {@link loadPage} has loaded. */
export function findPage(path: string): Page | undefined {
  return loaded.get(path);
}

/** Checks for a page that needs no texts but those of the first view. */
export function isEarly(path: string): boolean {
  return early.has(nameOf(path));
}

/** Name of the page at a path: `share` for `/.app/share`. */
function nameOf(path: string): string {
  return path.slice(import.meta.env.BASE_URL.length);
}
