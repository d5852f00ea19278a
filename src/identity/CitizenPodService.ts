import type { Records } from '../platform/Records';
import type { WebId } from '../platform/webId';
import { Unavailable } from '../problems';
import type { Citizen } from './CitizenStore';
import type { IdentityStores } from './IdentityStores';
import type { Linkable, OwnWebIds } from './OwnWebIds';
import type { PodHost } from './PodHost';
import type { SharedByCitizens } from './SharedByCitizens';
import { sharesContainer } from './sharesContainer';

/** Parts of {@link CitizenPodService}. */
export interface CitizenPodServiceOptions<TStores extends IdentityStores> {
  records: Records<TStores>;
  shared: Pick<SharedByCitizens<TStores>, 'listResources'>;
  pods: PodHost;
  ownWebIds: Pick<OwnWebIds, 'find' | 'prepare'>;
}

/** The pods of citizens: made, repaired and removed, also when another process does the opposite at the same time. */
export class CitizenPodService<TStores extends IdentityStores> {
  private readonly options: CitizenPodServiceOptions<TStores>;

  public constructor(options: CitizenPodServiceOptions<TStores>) {
    this.options = options;
  }

  /**
   * The WebID and pod that a new citizen is to have.
   *
   * @param id - Id of the citizen.
   * @param webId - A WebID that the citizen has already.
   *
   * @throws IdentityMismatch, IdentityAmbiguous
   */
  public async place(id: string, webId: WebId | undefined): Promise<Linkable> {
    return webId === undefined ? this.options.pods.locate(id) : this.options.ownWebIds.find(webId, id);
  }

  /**
   * Makes what the citizen does not have yet: account and pod, a pod, or a place in the pod for what is shared.
   *
   * @returns The account of a pod that was made.
   *
   * @throws Unavailable when the citizen was made or removed elsewhere meanwhile.
   */
  public async make(citizen: Citizen): Promise<string | undefined> {
    return this.unlessOvertaken(citizen, async(): Promise<string | undefined> => {
      const { ownWebIds, pods, records } = this.options;
      const { brought, id, webId } = citizen;
      if (brought === 'POD') {
        await ownWebIds.prepare(citizen);
        return;
      }
      let known = citizen.accountId;
      const { accountId } = await pods.create(id, known, async(account): Promise<void> => {
        if (!await records.citizens.setAccount(id, known, account)) {
          throw new Unavailable('The WebID was made or removed elsewhere at the same time.');
        }
        known = account;
      }, brought && webId);
      return accountId;
    });
  }

  /**
   * Restores the profile of a citizen whose WebID was made here.
   *
   * @throws Unavailable when the citizen was removed elsewhere meanwhile.
   */
  public async repair(citizen: Citizen): Promise<void> {
    if (!citizen.brought) {
      await this.unlessOvertaken(citizen, async(): Promise<void> =>
        this.options.pods.repair(citizen));
    }
  }

  /** Removes a pod. One that was there before the citizen stays, but for what was shared. */
  public async remove(citizen: Citizen): Promise<void> {
    const { pods, records, shared } = this.options;
    const { accountId, brought, podUrl, webId } = citizen;
    await (brought === 'POD' ?
        pods.clear(sharesContainer(citizen), await shared.listResources(records, citizen)) :
        pods.delete({ podUrl, accountId, ...!brought && { webId }}));
  }

  /** Removes the remains of the pod of an erased citizen. Returns true when there were any. */
  public async removeRemains(podUrl: string): Promise<boolean> {
    return await this.options.records.citizens.isTombstone(podUrl) && this.options.pods.removeRemains(podUrl);
  }

  /**
   * Works on a pod. When that fails and the citizen was made or removed elsewhere meanwhile, nothing is left of what
   * was made here, and the caller may try again.
   *
   * @throws Unavailable
   */
  private async unlessOvertaken<T>({ id, podUrl, state }: Citizen, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error: unknown) {
      const current = await this.options.records.citizens.findById(id);
      if (current?.state === state) {
        throw error;
      }
      await this.removeRemains(podUrl);
      throw new Unavailable('The WebID was made or removed elsewhere at the same time.', { cause: error });
    }
  }
}
