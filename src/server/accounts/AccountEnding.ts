import type { ClientCredentialsStore, WebIdStore } from '@solid/community-server';
import type { ProviderSessions } from './ProviderSessions';

/** Ends everything that acts for an account except its password, because somebody else may have known the old one. */
export class AccountEnding {
  private readonly sessions: ProviderSessions;
  private readonly webIds: WebIdStore;
  private readonly credentials: ClientCredentialsStore;

  /**
   * @param sessions - Log-ins, grants and tokens.
   * @param webIdStore - WebIDs of accounts.
   * @param credentials - Client credentials of accounts.
   */
  public constructor(sessions: ProviderSessions, webIdStore: WebIdStore, credentials: ClientCredentialsStore) {
    this.sessions = sessions;
    this.webIds = webIdStore;
    this.credentials = credentials;
  }

  /**
   * Ends log-ins, sessions of apps with their tokens, and client credentials.
   *
   * @param accountId - The account.
   * @param exceptCookie - Cookie of the log-in to keep: that of the caller.
   */
  public async end(accountId: string, exceptCookie?: string): Promise<void> {
    // Log-ins first, because client credentials are created by them.
    await this.sessions.endLogIns(accountId, exceptCookie);
    const credentials = await this.credentials.findByAccount(accountId);
    for (const { id } of credentials) {
      await this.credentials.delete(id);
    }
    const webIds = (await this.webIds.findLinks(accountId)).map(({ webId }): string => webId);
    const clients = credentials.map(({ label }): string => label);
    await this.sessions.end({ webIds, clients });
  }
}
