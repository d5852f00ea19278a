import { setTimeout } from 'node:timers/promises';
import type { HeldValues } from '../holders/HeldStorage';
import type { TokenEnds } from './TokenEnds';

/** The holder whose sessions end. */
export interface EndedHolder {
  webIds: string[];
  /** Ids of clients that act as one of these WebIDs. */
  clients?: string[];
}

/** Options of {@link ProviderSessions}. */
export interface ProviderSessionsArgs {
  /** Grants, sessions, tokens and codes of the server's identity provider, by WebID. */
  providerStorage: HeldValues;
  /** Log-in cookies, by account. */
  cookieStorage: HeldValues;
  /** Records that tokens have ended. */
  ends: TokenEnds;
  /** Subscriptions to notifications, by WebID. */
  subscriptions: HeldValues;
}

/** Ends everything issued to a WebID or account, at once and on every node. */
export class ProviderSessions {
  private readonly args: ProviderSessionsArgs;

  public constructor(args: ProviderSessionsArgs) {
    this.args = args;
  }

  /**
   * Ends the log-ins to an account.
   *
   * @param accountId - The account.
   * @param exceptCookie - Cookie of the log-in to keep.
   */
  public async endLogIns(accountId: string, exceptCookie?: string): Promise<void> {
    await this.args.cookieStorage.removeOf(accountId, exceptCookie);
  }

  /**
   * Ends sessions, grants, refresh tokens, codes, access tokens and subscriptions to notifications. Times in
   * tokens are whole seconds: resolves in the next second, so that tokens issued from then on are valid.
   */
  public async end({ webIds, clients = []}: EndedHolder): Promise<void> {
    const { ends, providerStorage, subscriptions } = this.args;
    for (const webId of webIds) {
      await providerStorage.removeOf(webId);
    }
    await ends.endTokens([ ...webIds, ...clients ]);
    for (const webId of webIds) {
      await subscriptions.removeOf(webId);
    }
    await setTimeout(1000 - (Date.now() % 1000));
  }
}
