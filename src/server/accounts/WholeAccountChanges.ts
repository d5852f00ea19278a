import { Initializer } from '@solid/community-server';
import type { AccountLoginStorage, CookieStore } from '@solid/community-server';
import { replacePart } from '../replacePart';
import { changingValues } from '../values/ValueChange';
import { opened } from '../../platform/opened';

/**
 * Makes each change of an account atomic: the account, its counts and its indexes. Several processes can change the
 * same account at once without losing a change. A log-in that one process prolongs while another ends it stays ended.
 * The server's storage of accounts is changed in place, because many objects refer to it.
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

  /** Does nothing: the constructor changes the storage. */
  public async handle(): Promise<void> {
    // Nothing to do.
  }
}
