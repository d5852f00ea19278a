import { ACCOUNT_TYPE, joinUrl } from '@solid/community-server';
import type {
  AccountLoginStorage,
  AccountStore,
  BasePodStore,
  KeyValueStorage,
  PermissionReader,
  PodManager,
  PodSettings,
  ResourcesGenerator,
  ResourceStore,
  WebIdStore,
} from '@solid/community-server';
import type { HostedPod, PodHost } from '../../identity/PodHost';
import { isRecord } from '../../platform/isRecord';
import type { HeldValues } from '../../server/holders/HeldStorage';
import type { TreeDataAccessor } from '../../server/files/ContainerGate';
import { readList } from '../settings';
import type { CitizenLoginStore } from './CitizenLoginStore';
import type { CitizenProfiles } from './CitizenProfiles';
import { repairProfile } from './repairProfile';

/** Options of {@link CssPodHost}. */
export interface CssPodHostArgs {
  /** Base URL of the server. */
  baseUrl: string;
  /** Comma-separated URLs of the national issuers, written into new profiles. */
  nationalIssuers: string;
  /** Storage of the server's accounts. */
  accountStorage: AccountLoginStorage<Record<string, never>>;
  /** The server's accounts. */
  accountStore: AccountStore;
  /** Links between accounts and WebIDs. */
  webIdStore: WebIdStore;
  /** Pods of accounts, made from this package's templates. */
  podStore: BasePodStore;
  /** Writes the resources of a new pod. */
  podManager: PodManager;
  /** Generates those resources. */
  podResources: ResourcesGenerator;
  /** Knows the statements that profiles keep. */
  profiles: CitizenProfiles;
  /** The server's own rule on permissions: WAC or ACP. */
  permissionReader: PermissionReader;
  /** Login method of citizens' accounts. */
  logins: CitizenLoginStore;
  /** The server's resources. */
  resourceStore: ResourceStore;
  /** Where resources are stored: there a pod is removed, past all that the server would refuse. */
  dataAccessor: TreeDataAccessor;
  /** Grants and sessions of the server's identity provider, by WebID. */
  providerStorage: HeldValues;
  /** Login cookies, by account. */
  cookieStorage: HeldValues;
  /** Notification channels. */
  channelStorage: KeyValueStorage<string, unknown>;
}

/** Accounts, WebIDs and pods of Community Solid Server for citizens. */
export class CssPodHost implements PodHost {
  private readonly args: CssPodHostArgs;
  private readonly nationalIssuers: string[];

  public constructor(args: CssPodHostArgs) {
    this.args = args;
    this.nationalIssuers = readList(args.nationalIssuers) ?? [];
  }

  public locate(podName: string): { podUrl: string; webId: string } {
    const podUrl = joinUrl(this.args.baseUrl, `${podName}/`);
    return { podUrl, webId: joinUrl(podUrl, 'profile/card#me') };
  }

  public async create(
    podName: string,
    knownAccountId: string | undefined,
    onAccount: (accountId: string) => Promise<void>,
  ): Promise<HostedPod> {
    const { podUrl, webId } = this.locate(podName);
    const accountId = await this.account(knownAccountId, onAccount);
    await this.args.logins.add(accountId, podName);
    if (!await this.args.webIdStore.isLinked(webId, accountId)) {
      await this.args.webIdStore.create(webId, accountId);
    }
    await this.createPod(podUrl, webId, accountId);
    return { accountId, webId, podUrl };
  }

  public async repair(podUrl: string, webId: string): Promise<void> {
    await repairProfile(this.args, this.settings(podUrl, webId));
  }

  public async delete(podUrl: string, webId: string, accountId: string | undefined): Promise<void> {
    await this.args.providerStorage.removeOf(webId);
    if (accountId !== undefined) {
      await this.args.cookieStorage.removeOf(accountId);
    }
    await this.removeEntries(this.args.channelStorage, (value, key): boolean => concernsPod(value, key, podUrl, webId));
    await this.args.dataAccessor.removeTree({ path: podUrl });
    if (accountId !== undefined && await this.args.accountStorage.has(ACCOUNT_TYPE, accountId)) {
      await this.args.accountStorage.delete(ACCOUNT_TYPE, accountId);
    }
  }

  private async account(known: string | undefined, onAccount: (id: string) => Promise<void>): Promise<string> {
    if (known !== undefined && await this.args.accountStorage.has(ACCOUNT_TYPE, known)) {
      return known;
    }
    const created = await this.args.accountStore.create();
    await onAccount(created);
    return created;
  }

  private async createPod(podUrl: string, webId: string, accountId: string): Promise<void> {
    const settings = this.settings(podUrl, webId);
    if (!await this.args.podStore.findByBaseUrl(podUrl)) {
      await this.args.podStore.create(accountId, settings, true);
    } else if (!await this.args.resourceStore.hasResource({ path: webId.replace(/#.*$/u, '') })) {
      await this.args.podManager.createPod(settings, true);
    }
  }

  private settings(podUrl: string, webId: string): PodSettings {
    const { args: { baseUrl }, nationalIssuers } = this;
    return { base: { path: podUrl }, webId, oidcIssuer: baseUrl, nationalIssuers };
  }

  private async removeEntries(
    storage: KeyValueStorage<string, unknown>,
    matches: (value: unknown, key: string) => boolean,
  ): Promise<void> {
    const keys: string[] = [];
    for await (const [ key, value ] of storage.entries()) {
      if (matches(unwrap(value), wholeKey(key, value))) {
        keys.push(key);
      }
    }
    await Promise.all(keys.map(async(key): Promise<boolean> => storage.delete(key)));
  }
}

const wrapperMembers = new Set([ 'key', 'expires', 'payload' ]);

/** The server's storages wrap their values in `payload`s: for long keys, for expiry. */
function unwrap(value: unknown): unknown {
  let inner = value;
  while (isRecord(inner) && Object.keys(inner).every((name): boolean => wrapperMembers.has(name))) {
    inner = inner.payload;
  }
  return inner;
}

/** The key of an entry, which stands in its wrapper: a long one is shortened where it is stored. */
function wholeKey(storedKey: string, value: unknown): string {
  return isRecord(value) && typeof value.key === 'string' ? value.key : storedKey;
}

/** Channels name their topic and, some, their subscriber; lists of the channels on a topic have it as their key. */
function concernsPod(value: unknown, key: string, podUrl: string, webId: string): boolean {
  if (Array.isArray(value)) {
    return key.split('/').at(-1)!.startsWith(encodeURIComponent(podUrl));
  }
  return isRecord(value) &&
    ((typeof value.topic === 'string' && value.topic.startsWith(podUrl)) || value.webId === webId);
}
