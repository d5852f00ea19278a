import {
  BadRequestHttpError,
  ConflictHttpError,
  ForbiddenHttpError,
  Initializer,
  POD_STORAGE_TYPE,
} from '@solid/community-server';
import type { AccountLoginStorage, BasePodStore, PodSettings, PodStore, WebIdStore } from '@solid/community-server';
import { asOutage } from '../outages/unavailable';
import { findUnfitName } from '../../platform/targets';
import type { HoldingRule } from './HoldingRule';
import { maxPerAccount } from './maxPerAccount';

/**
 * The server's pods, a bounded number for each account, at URLs that are free, for WebIDs that are linked to the
 * account only. Records their owners, so that others can know them without reading accounts.
 */
export class RuledPodStore extends Initializer implements PodStore {
  private readonly source: BasePodStore;
  private readonly storage: AccountLoginStorage<Record<string, never>>;
  private readonly rule: HoldingRule;
  private readonly webIds: WebIdStore;

  /**
   * @param source - The server's own pod store.
   * @param storage - Storage of the server's accounts.
   * @param rule - Decides which pods an account may have, and records their owners.
   * @param webIdStore - WebIDs of accounts.
   */
  public constructor(
    source: BasePodStore,
    storage: AccountLoginStorage<Record<string, never>>,
    rule: HoldingRule,
    webIdStore: WebIdStore,
  ) {
    super();
    this.source = source;
    this.storage = storage;
    this.rule = rule;
    this.webIds = webIdStore;
  }

  public async handle(): Promise<void> {
    await this.source.handle();
  }

  /** Records the owners of the pods that nobody has recorded yet. Reads every account. */
  public async recordMissing(): Promise<void> {
    for await (const { baseUrl, id } of this.pods()) {
      if (!await this.rule.isRecorded(baseUrl)) {
        await this.recordOwners(id);
      }
    }
  }

  /** Records the owners of the pods whose making was interrupted before that. Call it every minute. */
  public async recordInterrupted(): Promise<void> {
    for (const podUrl of await this.rule.listInterruptedPods()) {
      const pod = await this.source.findByBaseUrl(podUrl);
      if (pod && !await this.rule.isRecorded(podUrl)) {
        await this.recordOwners(pod.id);
      } else {
        await this.rule.forgetInterruptedPod(podUrl);
      }
    }
  }

  public async create(accountId: string, settings: PodSettings, overwrite: boolean): Promise<string> {
    requireFitting(settings.base.path);
    await this.rule.requireFree(settings.base.path);
    await this.requireLinked(settings.webId, accountId);
    if ((await this.source.findPods(accountId)).length >= maxPerAccount) {
      throw new ConflictHttpError(`An account has at most ${maxPerAccount} pods.`);
    }
    await this.rule.expectPod(settings.base.path);
    const id = await this.make(accountId, settings, overwrite);
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
    const pod = await this.source.get(id);
    if (pod) {
      await this.rule.requireRemovable(webId, pod.baseUrl);
    }
    await this.source.removeOwner(id, webId);
    await this.recordOwners(id);
  }

  /** Makes a pod. The server blames the request for whatever fails meanwhile. */
  private async make(accountId: string, settings: PodSettings, overwrite: boolean): Promise<string> {
    try {
      return await this.source.create(accountId, settings, overwrite);
    } catch (error: unknown) {
      throw asOutage(error);
    }
  }

  /** Refuses to make somebody the owner of a pod that another account creates. */
  private async requireLinked(webId: string, accountId: string): Promise<void> {
    if (!await this.webIds.isLinked(webId, accountId)) {
      throw new ForbiddenHttpError('A pod belongs to WebIDs of its own account: link the WebID to it first.');
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
      await this.rule.recordOwners(pod.baseUrl, owners.map((owner): string => owner.webId));
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
