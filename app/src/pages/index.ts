import type { Component } from 'svelte';

/** Module of a page. */
export interface Page {
  default: Component;
}

/** The pages by name, each loaded when it is first opened. */
const pages = new Map<string, () => Promise<Page>>([
  [ '', async(): Promise<Page> => import('./Home.svelte') ],
  [ 'callback', async(): Promise<Page> => import('./Callback.svelte') ],
  [ 'share', async(): Promise<Page> => import('./Share.svelte') ],
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

/**
 * Loads the page at an address, or the not-found page when there is none.
 *
 * @param path - Such as `/.app/share`.
 */
export async function loadPage(path: string): Promise<Page> {
  const load = pages.get(path.slice(import.meta.env.BASE_URL.length));
  return load ? load() : import('./NotFound.svelte');
}
