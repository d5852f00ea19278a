import { ACCOUNT_TYPE, OWNER_STORAGE_TYPE, POD_STORAGE_TYPE } from '@solid/community-server';
import type {
  AccountLoginStorage,
  AccountStore,
  OWNER_STORAGE_DESCRIPTION,
  POD_STORAGE_DESCRIPTION,
  WebIdStore,
} from '@solid/community-server';
import type { PodHost, WebIdWithPod } from '../../identity/PodHost';
import { podMadeHere } from '../../identity/podMadeHere';
import type { HeldValues } from '../../server/holders/HeldStorage';
import { changingValues } from '../../server/values/ValueChange';
import type { WebId } from '../../platform/webId';
import { opened } from '../../platform/opened';
import type { CitizenLoginStore } from './CitizenLoginStore';

/** Options of {@link CitizenAccounts}. */
export interface CitizenAccountsArgs {
  /** Base URL of the server. */
  baseUrl: string;
  /** Storage of the server's accounts. */
  accountStorage: AccountLoginStorage<Record<string, never>>;
  /** The server's accounts. */
  accountStore: AccountStore;
  /** Links between accounts and WebIDs. */
  webIdStore: WebIdStore;
  /** Login method of citizens' accounts. */
  logins: CitizenLoginStore;
  /** Grants and sessions of the server's identity provider, by WebID. */
  providerStorage: HeldValues;
  /** Login cookies, by account. */
  cookieStorage: HeldValues;
  /** Subscriptions to notifications, by WebID and pod. */
  subscriptions: HeldValues;
}

type PodAccounts = AccountLoginStorage<{
  [POD_STORAGE_TYPE]: typeof POD_STORAGE_DESCRIPTION;
  [OWNER_STORAGE_TYPE]: typeof OWNER_STORAGE_DESCRIPTION;
}>;

/** Accounts of citizens in the server, with their log-ins and WebIDs. */
export class CitizenAccounts {
  private readonly args: CitizenAccountsArgs;
  private readonly accounts: PodAccounts;

  public constructor(args: CitizenAccountsArgs) {
    this.args = args;
    this.accounts = opened<PodAccounts>(args.accountStorage);
  }

  /** Finds the account of a pod; `undefined` when the pod has none. */
  public async find(podUrl: string): Promise<string | undefined> {
    const [ pod ] = await this.accounts.find(POD_STORAGE_TYPE, { baseUrl: podUrl });
    return pod?.accountId;
  }

  /** Finds the account of a pod; `undefined` when this WebID is not linked to it. */
  public async findLinked({ podUrl, webId }: WebIdWithPod): Promise<string | undefined> {
    const accountId = await this.find(podUrl);
    return accountId !== undefined && await this.args.webIdStore.isLinked(webId, accountId) ? accountId : undefined;
  }

  /**
   * Creates an account with the citizen's log-in, WebID (unless the citizen brought one) and pod, all at once. Of
   * several processes that try, one succeeds, and the others find its account.
   */
  public async create(
    podName: string,
    knownAccountId: string | undefined,
    onAccount: (accountId: string) => Promise<void>,
    ownWebId: WebId | undefined,
  ): Promise<string> {
    const { logins, webIdStore } = this.args;
    const { podUrl, webId } = podMadeHere(podName, this.args.baseUrl);
    return changingValues(async(): Promise<string> => {
      const pods = await this.accounts.find(POD_STORAGE_TYPE, { baseUrl: podUrl });
      const accountId = pods.at(0)?.accountId ?? await this.account(knownAccountId);
      await onAccount(accountId);
      await logins.add(accountId, podName);
      if (ownWebId === undefined && !await webIdStore.isLinked(webId, accountId)) {
        await webIdStore.create(webId, accountId);
      }
      if (pods.length === 0) {
        const { id: podId } = await this.accounts.create(POD_STORAGE_TYPE, { baseUrl: podUrl, accountId });
        await this.accounts.create(OWNER_STORAGE_TYPE, { podId, webId: ownWebId ?? webId, visible: false });
      }
      return accountId;
    });
  }

  /** Ends everything that lets the WebID or account in, and the subscriptions to the pod. */
  public async endLogins({ accountId, podUrl, webId }: Parameters<PodHost['delete']>[0]): Promise<void> {
    const { cookieStorage, providerStorage, subscriptions } = this.args;
    if (webId !== undefined) {
      await providerStorage.removeOf(webId);
      await subscriptions.removeOf(webId);
    }
    if (accountId !== undefined) {
      await cookieStorage.removeOf(accountId);
    }
    await subscriptions.removeOf(podUrl);
  }

  /** Deletes an account; ignores a missing one. */
  public async delete(accountId: string): Promise<void> {
    if (await this.args.accountStorage.has(ACCOUNT_TYPE, accountId)) {
      await this.args.accountStorage.delete(ACCOUNT_TYPE, accountId);
    }
  }

  private async account(known: string | undefined): Promise<string> {
    const isThere = known !== undefined && await this.args.accountStorage.has(ACCOUNT_TYPE, known);
    return isThere ? known : this.args.accountStore.create();
  }
}
