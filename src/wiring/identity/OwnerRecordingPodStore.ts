import {
  BadRequestHttpError,
  ConflictHttpError,
  ForbiddenHttpError,
  Initializer,
  POD_STORAGE_TYPE,
} from '@solid/community-server';
import type { AccountLoginStorage, BasePodStore, PodSettings, PodStore, WebIdStore } from '@solid/community-server';
import { findUnfitName } from '../../platform/targets';
import { PodNameTaken } from '../../problems';
import { maxPerAccount } from '../../server/accounts/maxPerAccount';
import { ownNames } from '../../vocabulary';
import type { DataSharingRecords } from '../DataSharingRecords';

/**
 * The server's pod store, with additions: owners of pods are written to the records, so that grants can be decided
 * without reading accounts; reserved names, and those of former citizens, are refused; an account has a bounded number
 * of pods, for WebIDs that are linked to it only.
 */
export class OwnerRecordingPodStore extends Initializer implements PodStore {
  private readonly source: BasePodStore;
  private readonly storage: AccountLoginStorage<Record<string, never>>;
  private readonly records: DataSharingRecords;
  private readonly baseUrl: string;
  private readonly webIds: WebIdStore;

  /**
   * @param source - The server's own pod store.
   * @param storage - Storage of the server's accounts.
   * @param records - Records of this package.
   * @param baseUrl - Base URL of the server.
   * @param webIdStore - WebIDs of accounts.
   */
  public constructor(
    source: BasePodStore,
    storage: AccountLoginStorage<Record<string, never>>,
    records: DataSharingRecords,
    baseUrl: string,
    webIdStore: WebIdStore,
  ) {
    super();
    this.source = source;
    this.storage = storage;
    this.records = records;
    this.baseUrl = baseUrl;
    this.webIds = webIdStore;
  }

  public async handle(): Promise<void> {
    await this.source.handle();
  }

  /** Checks whether no pod was ever seen: this package has just been switched on. */
  public async isNew(): Promise<boolean> {
    const { podOwners } = await this.records.get();
    return await podOwners.count() === 0;
  }

  /** Writes down the owners of the pods that were made while this package was not switched on. Reads every account. */
  public async recordMissing(): Promise<void> {
    const { podOwners } = await this.records.get();
    for await (const { baseUrl, id } of this.pods()) {
      if (!await podOwners.has(baseUrl)) {
        await this.recordOwners(id);
      }
    }
  }

  public async create(accountId: string, settings: PodSettings, overwrite: boolean): Promise<string> {
    requireFitting(settings.base.path);
    await this.requireFree(settings.base.path);
    await this.requireLinked(settings.webId, accountId);
    if ((await this.source.findPods(accountId)).length >= maxPerAccount) {
      throw new ConflictHttpError(`An account has at most ${maxPerAccount} pods.`);
    }
    const id = await this.source.create(accountId, settings, overwrite);
    await this.recordOwners(id);
    return id;
  }

  public async get(id: string): ReturnType<PodStore['get']> {
    return this.source.get(id);
  }

  public async findByBaseUrl(baseUrl: string): ReturnType<PodStore['findByBaseUrl']> {
    return this.source.findByBaseUrl(baseUrl);
  }

  public async findPods(accountId: string): ReturnType<PodStore['findPods']> {
    return this.source.findPods(accountId);
  }

  public async getOwners(id: string): ReturnType<PodStore['getOwners']> {
    return this.source.getOwners(id);
  }

  public async updateOwner(id: string, webId: string, visible: boolean): Promise<void> {
    const owners = await this.source.getOwners(id) ?? [];
    const pod = await this.source.get(id);
    if (pod && !owners.some((owner): boolean => owner.webId === webId)) {
      await this.requireLinked(webId, pod.accountId);
    }
    await this.source.updateOwner(id, webId, visible);
    await this.recordOwners(id);
  }

  public async removeOwner(id: string, webId: string): Promise<void> {
    await this.requireNotCitizen(id, webId);
    await this.source.removeOwner(id, webId);
    await this.recordOwners(id);
  }

  /** Refuses to make somebody the owner of a pod that another account creates. */
  private async requireLinked(webId: string, accountId: string): Promise<void> {
    if (!await this.webIds.isLinked(webId, accountId)) {
      throw new ForbiddenHttpError('A pod belongs to WebIDs of its own account: link the WebID to it first.');
    }
  }

  /** Refuses to take the pod with a citizen's data from the citizen, who then could neither list nor revoke there. */
  private async requireNotCitizen(id: string, webId: string): Promise<void> {
    const pod = await this.source.get(id);
    const { citizens } = await this.records.get();
    const citizen = pod && await citizens.findByPodUrl(pod.baseUrl);
    if (citizen?.webId === webId) {
      throw new ConflictHttpError('This WebID belongs to a citizen whose data is in the pod: it remains an owner.');
    }
  }

  private pods(): AsyncIterable<{ baseUrl: string; id: string }> {
    // As in the constructor, Components.js can express only this type.
    return this.storage.entries(POD_STORAGE_TYPE as never);
  }

  private async recordOwners(id: string): Promise<void> {
    const pod = await this.source.get(id);
    if (pod) {
      const owners = await this.source.getOwners(id) ?? [];
      const { podOwners } = await this.records.get();
      await podOwners.set(pod.baseUrl, owners.map((owner): string => owner.webId));
    }
  }

  private async requireFree(podUrl: string): Promise<void> {
    const { citizens } = await this.records.get();
    const reserved = ownNames.some((name): boolean => podUrl === `${this.baseUrl}${name}/`);
    if (reserved || await citizens.isTombstone(podUrl)) {
      throw new ConflictHttpError(PodNameTaken.title, { cause: new PodNameTaken() });
    }
  }
}

/** Refuses, before anything is stored, a pod with a name that no storage can keep. */
function requireFitting(podUrl: string): void {
  const unfit = findUnfitName(new URL(podUrl).pathname);
  if (unfit) {
    throw new BadRequestHttpError(unfit.message);
  }
}
