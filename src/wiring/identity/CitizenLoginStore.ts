import { ACCOUNT_TYPE, Initializer } from '@solid/community-server';
import type { AccountLoginStorage } from '@solid/community-server';
import { opened } from '../../platform/opened';

const loginType = 'citizen';
const description = { podName: 'string', accountId: `id:${ACCOUNT_TYPE}` } as const;

/**
 * Login method of the accounts of citizens: they log in at their national issuer, not with a password. The server
 * removes accounts without a login method, so each citizen's account gets this one.
 */
export class CitizenLoginStore extends Initializer {
  private readonly storage: AccountLoginStorage<{ [loginType]: typeof description }>;
  private defined = false;

  /**
   * @param storage - Storage of the server's accounts.
   */
  // Typed as the server types it for Components.js, which can't express the generic.
  public constructor(storage: AccountLoginStorage<Record<string, never>>) {
    super();
    this.storage = opened<typeof this.storage>(storage);
  }

  /** Defines the login type: before it is first used, in every process. */
  public async handle(): Promise<void> {
    if (!this.defined) {
      await this.storage.defineType(loginType, description, true);
      this.defined = true;
    }
  }

  /** Checks whether an account has this login method. */
  public async has(accountId: string): Promise<boolean> {
    return (await this.storage.find(loginType, { accountId })).length > 0;
  }

  /**
   * Gives an account this login method, when it has none.
   *
   * @param accountId - The account.
   * @param podName - Name of the citizen's pod: random, and known to nobody who knows the citizen.
   */
  public async add(accountId: string, podName: string): Promise<void> {
    if (!await this.has(accountId)) {
      await this.storage.create(loginType, { accountId, podName });
    }
  }
}
