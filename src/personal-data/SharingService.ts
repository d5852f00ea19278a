import type { CallContext } from '../audit/CallContext';
import type { Clock, NewId } from '../platform/clock';
import { assertNotSuspended } from '../contracts/assertNotSuspended';
import { assertUnchanged } from '../contracts/assertUnchanged';
import type { ContractCatalogue } from '../contracts/Contract';
import type { SuspensionStore } from '../contracts/SuspensionStore';
import type { Citizen } from '../identity/CitizenStore';
import type { OwnWebIds } from '../identity/OwnWebIds';
import type { Mutex } from '../platform/KeyedMutex';
import { AccessForbidden, Unavailable } from '../problems';
import type { Records } from '../platform/Records';
import type { PodGateway } from '../pods/PodGateway';
import type { ResourceUri } from '../pods/resourceUri';
import type { Candidates } from './Candidates';
import { ResourceWatch } from './ResourceWatch';
import type { Shareable } from './selectValues';
import { assertIds, selectValues } from './selectValues';
import type { SharePlan, SharePlannerOptions, Sharing } from './SharePlanner';
import { SharePlanner } from './SharePlanner';
import type { SharingStores } from './SharingStores';
import type { PlannedShare, ShareWriterOptions } from './ShareWriter';
import type { Mended } from './ShareSweep';
import { ShareSweep } from './ShareSweep';
import { isSameShare, ShareWriter } from './ShareWriter';

/** Parts and settings of {@link SharingService}. */
export interface SharingServiceOptions extends SharePlannerOptions, ShareWriterOptions {
  records: Records<SharingStores> & { suspensions: SuspensionStore };
  contracts: Pick<ContractCatalogue, 'getConsumable'>;
  candidates: Pick<Candidates, 'list'>;
  ownWebIds: Pick<OwnWebIds, 'prepare'>;
  gateway: PodGateway;
  /** Keeps what is done to one citizen's pod apart, by citizen id. */
  mutex: Mutex;
  now: Clock;
  newId: NewId;
}

/** A value that was shared. */
export interface Shared {
  /** URI of the resource in the pod. */
  podResource: string;
  /** URI of the grant that gives the contract's data user access to it. */
  accessGrant: string;
}

/**
 * Shares personal data under a contract: each value becomes a credential in the citizen's pod, with an access grant for
 * the contract's data user.
 *
 * One resource per citizen, contract and record. Sharing again gives the same resource and, while it is effective, the
 * same grant; a new version replaces the content, and the credential that it supersedes is revoked.
 */
export class SharingService {
  private readonly options: SharingServiceOptions;
  private readonly watch: ResourceWatch;
  private readonly planner: SharePlanner;
  private readonly writer: ShareWriter;
  private readonly sweeper: ShareSweep;

  public constructor(options: SharingServiceOptions) {
    this.options = options;
    this.watch = new ResourceWatch(options);
    this.planner = new SharePlanner(options);
    this.writer = new ShareWriter(options);
    this.sweeper = new ShareSweep({ ...options, watch: this.watch });
  }

  /**
   * Shares values, all or none. What is stored is always read from the source, never taken from the caller.
   *
   * @param ids - Of 1 to 50 values, none of them twice.
   *
   * @returns In the order of the ids.
   *
   * @throws BodyInvalid, ContractIdInvalid, ContractNotFound, ContractNotConsumable, ContractSuspended,
   * DataUserSuspended, ValueUnknown, ValueChanged, ValueInvalid, SourceUnavailable
   */
  public async share(citizen: Citizen, contractId: string, ids: string[], context: CallContext): Promise<Shared[]> {
    assertIds(ids);
    const contract = this.options.contracts.getConsumable(contractId, this.options.now());
    await assertNotSuspended(contract, this.options.records.suspensions);
    return this.options.mutex.run(citizen.id, async(): Promise<Shared[]> => {
      await this.assertActive(citizen);
      assertUnchanged(contract, await this.options.records.contractUses.find(contract.id));
      await this.writer.recover(citizen.id);
      const candidates = await this.options.candidates.list(citizen, contract, new Set(ids));
      const values = selectValues(candidates, ids);
      await this.options.ownWebIds.prepare(citizen);
      return this.shareValues({ batch: this.options.newId(), citizen, contract, context }, values);
    });
  }

  /** Finishes or undoes what a crash interrupted, here or on another node. What is in progress is left alone. */
  public async recover(): Promise<void> {
    for (const citizenId of await this.writer.listInterrupted()) {
      await this.options.mutex.run(citizenId, async(): Promise<void> => this.writer.recover(citizenId));
    }
  }

  /**
   * Takes note that a resource changed in the pod: shared data that is gone or altered is marked so, and the mark of
   * being gone is taken away when it is there again.
   */
  public async onResourceChanged(uri: ResourceUri): Promise<void> {
    const { shares } = this.options.records;
    const share = await shares.findByResource(uri);
    if (share) {
      await this.options.mutex.run(share.citizenId, async(): Promise<void> => this.watch.noteChange(uri));
    }
  }

  /**
   * Compares what a citizen's pod has of shared data with what is on record, and mends what only one of them has. What
   * is in progress is waited for, and what was interrupted is finished or undone first.
   */
  public async sweep(citizen: Citizen): Promise<Mended> {
    const suspects = await this.sweeper.findSuspects(citizen);
    return suspects.length === 0 ?
        { removed: 0, marked: 0 } :
        this.options.mutex.run(citizen.id, async(): Promise<Mended> => {
          await this.assertActive(citizen);
          await this.writer.recover(citizen.id);
          return this.sweeper.mend(citizen, suspects);
        });
  }

  /** The pod may have been deleted while this call waited. */
  private async assertActive({ id }: Citizen): Promise<void> {
    const citizen = await this.options.records.citizens.findById(id);
    if (citizen?.state !== 'ACTIVE') {
      throw new AccessForbidden('The pod is being deleted.');
    }
  }

  /** Once more when the rows are not as planned: shared elsewhere meanwhile, or here, but the answer was lost. */
  private async shareValues(sharing: Sharing, values: Shareable[], isAgain = false): Promise<Shared[]> {
    const plans: SharePlan[] = [];
    for (const value of values) {
      plans.push(await this.planner.plan(sharing, value));
    }
    try {
      await this.writer.run(plans);
    } catch (error: unknown) {
      if (!await this.wereOvertaken(plans)) {
        throw error;
      }
      if (isAgain) {
        throw new Unavailable('The same values were shared elsewhere at the same time.', { cause: error });
      }
      return this.shareValues(sharing, values, true);
    }
    return plans.map(({ change, grant }): Shared => ({ podResource: change.share.resource, accessGrant: grant.uri }));
  }

  private async wereOvertaken(plans: PlannedShare[]): Promise<boolean> {
    const rows = await Promise.all(plans.map(async({ change, existing }): Promise<boolean> => {
      const row = await this.options.records.shares.find(change.share);
      return !isSameShare(row, existing);
    }));
    return rows.some(Boolean);
  }
}
