import { ConflictHttpError, NotFoundHttpError } from '@solid/community-server';
import type {
  AuxiliaryStrategy,
  PermissionReader,
  PodSettings,
  ResourceIdentifier,
  ResourcesGenerator,
  ResourceStore,
} from '@solid/community-server';
import type { HostedPod, PodHost, WebIdWithPod } from '../../identity/PodHost';
import { podMadeHere } from '../../identity/podMadeHere';
import { profileStatements } from '../../identity/profileStatements';
import type { TreeDataAccessor } from '../../server/files/ContainerGate';
import { isAccessDocument } from '../../server/access/isAccessDocument';
import { issuersOfEverybody } from '../../login/nationalIssuers';
import { createResources } from '../../server/files/createResources';
import { repairDocument } from '../../server/guarded/repairDocument';
import type { WebId } from '../../platform/webId';
import type { CitizenAccounts } from './CitizenAccounts';

/** Options of {@link CssPodHost}. */
export interface CssPodHostArgs {
  /** Base URL of the server. */
  baseUrl: string;
  /** Comma-separated URLs of the national issuers: those without a pattern are written into new profiles. */
  nationalIssuers: string;
  /** Accounts of citizens. */
  accounts: CitizenAccounts;
  /** Generates the resources of a new pod, from this package's templates. */
  podResources: ResourcesGenerator;
  /** The server's own rule on permissions: WAC or ACP. */
  permissionReader: PermissionReader;
  /** Knows the access control document of a container. */
  auxiliaryStrategy: AuxiliaryStrategy;
  /** The server's resources. */
  resourceStore: ResourceStore;
  /** Storage of resources. Pods are removed there, below the server's checks. */
  dataAccessor: TreeDataAccessor;
}

/** Pods of citizens in Community Solid Server, with their accounts. */
export class CssPodHost implements PodHost {
  private readonly args: CssPodHostArgs;
  private readonly nationalIssuers: string[];

  public constructor(args: CssPodHostArgs) {
    this.args = args;
    this.nationalIssuers = issuersOfEverybody(args.nationalIssuers);
  }

  public async create(
    podName: string,
    knownAccountId: string | undefined,
    onAccount: (accountId: string) => Promise<void>,
    ownWebId?: WebId,
  ): Promise<HostedPod> {
    const made = podMadeHere(podName, this.args.baseUrl);
    const pod = { ...made, webId: ownWebId ?? made.webId };
    const accountId = await this.args.accounts.create(podName, knownAccountId, onAccount, ownWebId);
    await this.args.dataAccessor.creating({ path: pod.podUrl }, async(): Promise<void> =>
      createResources(this.args, this.settings(pod)));
    return { accountId, ...pod };
  }

  public async repair(pod: WebIdWithPod): Promise<void> {
    const statements = profileStatements(pod, [ this.args.baseUrl, ...this.nationalIssuers ]);
    await repairDocument(this.args, this.settings(pod), statements);
  }

  public async findAccount(pod: WebIdWithPod): Promise<string | undefined> {
    return this.args.accounts.findLinked(pod);
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

  public async delete(pod: Parameters<PodHost['delete']>[0]): Promise<void> {
    const { accounts, dataAccessor } = this.args;
    await accounts.endLogins(pod);
    await dataAccessor.removeTree({ path: pod.podUrl });
    if (pod.accountId !== undefined) {
      await accounts.delete(pod.accountId);
    }
  }

  public async removeRemains(podUrl: string): Promise<boolean> {
    const accountId = await this.args.accounts.find(podUrl);
    const isThere = accountId !== undefined || await this.args.resourceStore.hasResource({ path: podUrl });
    if (isThere) {
      await this.delete({ podUrl, accountId });
    }
    return isThere;
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
