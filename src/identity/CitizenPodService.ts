import type { Records } from '../platform/Records';
import type { WebId } from '../platform/webId';
import { Unavailable } from '../problems';
import type { Citizen } from './CitizenStore';
import type { IdentityStores } from './IdentityStores';
import type { Linkable, OwnWebIds } from './OwnWebIds';
import type { PodHost } from './PodHost';
import { podMadeHere } from './podMadeHere';
import type { SharedByCitizens } from './SharedByCitizens';
import { sharesContainer } from './sharesContainer';

/** Dependencies of {@link CitizenPodService}. */
export interface CitizenPodServiceOptions<TStores extends IdentityStores> {
  records: Records<TStores>;
  shared: Pick<SharedByCitizens<TStores>, 'listResources'>;
  pods: PodHost;
  ownWebIds: Pick<OwnWebIds, 'find' | 'prepare'>;
  /** Base URL of this server: an origin with a trailing slash. */
  baseUrl: string;
}

/** Creates, repairs and removes citizens' pods, even while another process does the opposite. */
export class CitizenPodService<TStores extends IdentityStores> {
  private readonly options: CitizenPodServiceOptions<TStores>;

  public constructor(options: CitizenPodServiceOptions<TStores>) {
    this.options = options;
  }

  /**
   * Chooses the WebID and pod of a new citizen.
   *
   * @param id - Id of the citizen.
   * @param webId - WebID that the citizen already has.
   *
   * @throws IdentityMismatch, IdentityAmbiguous
   */
  public async place(id: string, webId: WebId | undefined): Promise<Linkable> {
    return webId === undefined ? podMadeHere(id, this.options.baseUrl) : this.options.ownWebIds.find(webId, id);
  }

  /**
   * Creates what the citizen lacks: an account and pod, a pod, or a container for shared data in an existing pod.
   *
   * @returns The account of a new pod.
   *
   * @throws Unavailable when another process created or removed the citizen meanwhile.
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
   * @throws Unavailable when another process removed the citizen meanwhile.
   */
  public async repair(citizen: Citizen): Promise<void> {
    if (!citizen.brought) {
      await this.unlessOvertaken(citizen, async(): Promise<void> =>
        this.options.pods.repair(citizen));
    }
  }

  /** Removes a pod. From a pod that the citizen brought, removes only the shared data. */
  public async remove(citizen: Citizen): Promise<void> {
    const { pods, records, shared } = this.options;
    const { accountId, brought, podUrl, webId } = citizen;
    await (brought === 'POD' ?
        pods.clear(sharesContainer(citizen), await shared.listResources(records, citizen)) :
        pods.delete({ podUrl, accountId, ...!brought && { webId }}));
  }

  /** Removes the remains of an erased citizen's pod. Returns true when there were any. */
  public async removeRemains(podUrl: string): Promise<boolean> {
    return await this.options.records.citizens.isTombstone(podUrl) && this.options.pods.removeRemains(podUrl);
  }

  /**
   * Works on a pod. If that fails because another process created or removed the citizen meanwhile, everything that was
   * made here is undone, and the caller may try again.
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
