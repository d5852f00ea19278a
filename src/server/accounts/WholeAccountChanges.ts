import { Initializer } from '@solid/community-server';
import type { AccountLoginStorage, CookieStore } from '@solid/community-server';
import { replacePart } from '../replacePart';
import { changingValues } from '../values/ValueChange';
import { opened } from '../../platform/opened';

/**
 * Makes each change of an account atomic: the account, the counts of what it has, and its indexes. Several processes
 * can change the same account at once, and no change is lost. A log-in that is prolonged while another process ends it
 * stays ended. Many of the server's objects refer to its storage of accounts, so it is changed in place.
 */
export class WholeAccountChanges extends Initializer {
  /**
   * @param storage - The server's storage of accounts.
   * @param cookies - The server's log-ins.
   */
  // Typed as the server types it for Components.js, which can't express the generic.
  public constructor(storage: AccountLoginStorage<Record<string, never>>, cookies: CookieStore) {
    super();
    const refresh = cookies.refresh.bind(cookies);
    replacePart(cookies, 'refresh', async(cookie: string): Promise<Date | undefined> =>
      changingValues(async(): Promise<Date | undefined> => refresh(cookie)));
    for (const name of [ 'create', 'set', 'setField', 'delete' ] as const) {
      const change = opened<Record<typeof name, (...args: unknown[]) => Promise<unknown>>>(storage)[name].bind(storage);
      replacePart(storage, name, async(...args: unknown[]): Promise<unknown> =>
        changingValues(async(): Promise<unknown> => change(...args)));
    }
  }

  /** Accounts change so as soon as the server's objects are there. */
  public async handle(): Promise<void> {
    // Nothing is left to do.
  }
}
