import {
  ACCOUNT_TYPE,
  ConflictHttpError,
  NotFoundHttpError,
  OWNER_STORAGE_TYPE,
  POD_STORAGE_TYPE,
} from '@solid/community-server';
import type {
  AccountLoginStorage,
  AccountStore,
  AuxiliaryStrategy,
  OWNER_STORAGE_DESCRIPTION,
  PermissionReader,
  POD_STORAGE_DESCRIPTION,
  PodSettings,
  ResourceIdentifier,
  ResourcesGenerator,
  ResourceStore,
  WebIdStore,
} from '@solid/community-server';
import type { HostedPod, PodHost, WebIdWithPod } from '../../identity/PodHost';
import { podMadeHere } from '../../identity/podMadeHere';
import { profileStatements } from '../../identity/profileStatements';
import type { HeldValues } from '../../server/holders/HeldStorage';
import type { TreeDataAccessor } from '../../server/files/ContainerGate';
import { isAccessDocument } from '../../server/access/isAccessDocument';
import { changingValues } from '../../server/values/ValueChange';
import { issuersOfEverybody } from '../../login/nationalIssuers';
import { createResources } from '../../server/files/createResources';
import { repairDocument } from '../../server/guarded/repairDocument';
import type { WebId } from '../../platform/webId';
import { opened } from '../../platform/opened';
import type { CitizenLoginStore } from './CitizenLoginStore';

/** Options of {@link CssPodHost}. */
export interface CssPodHostArgs {
  /** Base URL of the server. */
  baseUrl: string;
  /** Comma-separated URLs of the national issuers: those without a pattern are written into new profiles. */
  nationalIssuers: string;
  /** Storage of the server's accounts. */
  accountStorage: AccountLoginStorage<Record<string, never>>;
  /** The server's accounts. */
  accountStore: AccountStore;
  /** Links between accounts and WebIDs. */
  webIdStore: WebIdStore;
  /** Generates the resources of a new pod, from this package's templates. */
  podResources: ResourcesGenerator;
  /** The server's own rule on permissions: WAC or ACP. */
  permissionReader: PermissionReader;
  /** Login method of citizens' accounts. */
  logins: CitizenLoginStore;
  /** Knows the access control document of a container. */
  auxiliaryStrategy: AuxiliaryStrategy;
  /** The server's resources. */
  resourceStore: ResourceStore;
  /** Storage of resources. Pods are removed there, below the server's checks. */
  dataAccessor: TreeDataAccessor;
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

/** Accounts, WebIDs and pods of Community Solid Server for citizens. */
export class CssPodHost implements PodHost {
  private readonly args: CssPodHostArgs;
  private readonly nationalIssuers: string[];
  private readonly accounts: PodAccounts;

  public constructor(args: CssPodHostArgs) {
    this.args = args;
    this.nationalIssuers = issuersOfEverybody(args.nationalIssuers);
    this.accounts = opened<PodAccounts>(args.accountStorage);
  }

  public async create(
    podName: string,
    knownAccountId: string | undefined,
    onAccount: (accountId: string) => Promise<void>,
    ownWebId?: WebId,
  ): Promise<HostedPod> {
    const made = podMadeHere(podName, this.args.baseUrl);
    const pod = { ...made, webId: ownWebId ?? made.webId };
    const accountId = await this.createAccount(podName, knownAccountId, onAccount, ownWebId);
    await this.args.dataAccessor.creating({ path: pod.podUrl }, async(): Promise<void> =>
      createResources(this.args, this.settings(pod)));
    return { accountId, ...pod };
  }

  public async repair(pod: WebIdWithPod): Promise<void> {
    const statements = profileStatements(pod, [ this.args.baseUrl, ...this.nationalIssuers ]);
    await repairDocument(this.args, this.settings(pod), statements);
  }

  public async findAccount({ podUrl, webId }: WebIdWithPod): Promise<string | undefined> {
    const [ pod ] = await this.accounts.find(POD_STORAGE_TYPE, { baseUrl: podUrl });
    return pod !== undefined && await this.args.webIdStore.isLinked(webId, pod.accountId) ? pod.accountId : undefined;
  }

  public async seclude({ container, webId }: { container: string; webId: WebId }): Promise<void> {
    const identifier = { path: container };
    // Every container has an address for its rules.
    const rules = this.args.auxiliaryStrategy.getAuxiliaryIdentifiers(identifier).find(isAccessDocument)!;
    if (await this.args.resourceStore.hasResource(rules)) {
      return;
    }
    // Write the rules first, which creates the container: the rules of the pod never apply in it.
    const options = { base: identifier, webId, closed: true };
    for await (const resource of this.args.podResources.generate(identifier, options)) {
      if (resource.identifier.path === rules.path) {
        await this.args.resourceStore.setRepresentation(rules, resource.representation);
      }
    }
  }

  public async clear(container: string, resources: string[]): Promise<void> {
    const places = new Set(resources.map((path): string => new URL('.', path).href));
    for (const path of [ ...resources, ...places, container ]) {
      await this.remove({ path });
    }
  }

  public async delete({ accountId, podUrl, webId }: Parameters<PodHost['delete']>[0]): Promise<void> {
    if (webId !== undefined) {
      await this.args.providerStorage.removeOf(webId);
      await this.args.subscriptions.removeOf(webId);
    }
    if (accountId !== undefined) {
      await this.args.cookieStorage.removeOf(accountId);
    }
    await this.args.subscriptions.removeOf(podUrl);
    await this.args.dataAccessor.removeTree({ path: podUrl });
    if (accountId !== undefined && await this.args.accountStorage.has(ACCOUNT_TYPE, accountId)) {
      await this.args.accountStorage.delete(ACCOUNT_TYPE, accountId);
    }
  }

  public async removeRemains(podUrl: string): Promise<boolean> {
    const [ pod ] = await this.accounts.find(POD_STORAGE_TYPE, { baseUrl: podUrl });
    const isThere = pod !== undefined || await this.args.resourceStore.hasResource({ path: podUrl });
    if (isThere) {
      await this.delete({ podUrl, accountId: pod?.accountId });
    }
    return isThere;
  }

  /**
   * Creates an account with the citizen's log-in, WebID (unless the citizen brought one) and pod, all at once. Of
   * several processes that try, one succeeds, and the others find its account.
   */
  private async createAccount(
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

  private async account(known: string | undefined): Promise<string> {
    const isThere = known !== undefined && await this.args.accountStorage.has(ACCOUNT_TYPE, known);
    return isThere ? known : this.args.accountStore.create();
  }

  /** Containers are removed only when they are empty. */
  private async remove(resource: ResourceIdentifier): Promise<void> {
    try {
      await this.args.resourceStore.deleteResource(resource);
    } catch (error: unknown) {
      const isWanted = NotFoundHttpError.isInstance(error) ||
        (resource.path.endsWith('/') && ConflictHttpError.isInstance(error));
      if (!isWanted) {
        throw error;
      }
    }
  }

  private settings({ podUrl, webId }: WebIdWithPod): PodSettings {
    const { args: { baseUrl }, nationalIssuers } = this;
    return { base: { path: podUrl }, webId, oidcIssuer: baseUrl, nationalIssuers };
  }
}
