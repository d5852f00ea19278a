import type { CallContext } from '../audit/CallContext';
import type { Clock } from '../platform/clock';
import { messageOf } from '../platform/errors';
import type { Mutex } from '../platform/KeyedMutex';
import type { Logger } from '../platform/logger';
import type { Records } from '../platform/Records';
import { Unavailable } from '../problems';
import type { CitizenPodService } from './CitizenPodService';
import type { Citizen } from './CitizenStore';
import type { IdentityStores } from './IdentityStores';
import type { SharedByCitizens } from './SharedByCitizens';
import { webIdEvent } from './webIdEvent';

/** Dependencies of {@link CitizenStates}. */
export interface CitizenStatesOptions<TStores extends IdentityStores> {
  records: Records<TStores>;
  /** Ends the shares of a citizen in the same transaction. */
  shared: SharedByCitizens<TStores>;
  pods: Pick<CitizenPodService<TStores>, 'make' | 'remove'>;
  /** Serializes work on one citizen's pod, by citizen id. */
  mutex: Mutex;
  now: Clock;
  logger: Logger;
}

/** Time a process may take to erase a citizen before another one tries. */
const claimMs = 300_000;

/**
 * Takes citizens from `CREATING` to `ACTIVE`, and through `DELETING` to erasure, one process at a time. Every step is
 * idempotent, so {@link recover} can finish after a crash at any point.
 */
export class CitizenStates<TStores extends IdentityStores> {
  private readonly options: CitizenStatesOptions<TStores>;
  /** Work in progress by citizen, so that parallel calls share it. */
  private readonly working = new Map<string, Promise<unknown>>();

  public constructor(options: CitizenStatesOptions<TStores>) {
    this.options = options;
  }

  /**
   * Finishes the creation or removal of a citizen in that state. Does nothing when another process has finished it.
   *
   * @throws Unavailable when another process created or removed the citizen meanwhile.
   */
  public async finish(citizen: Citizen, state: 'CREATING' | 'DELETING', context?: CallContext): Promise<void> {
    await this.once(citizen, async(current): Promise<void> => {
      if (current.state === state) {
        await (state === 'DELETING' ? this.finishDeleting(current) : this.finishCreating(current, context));
      }
    });
  }

  /** Removes a citizen, whose tokens are refused from the first step on. */
  public async delete(citizen: Citizen, context: CallContext): Promise<void> {
    const { now, records } = this.options;
    // First wait for running work: joining it would remove nothing.
    while (this.working.has(citizen.id)) {
      await this.working.get(citizen.id);
    }
    await this.once(citizen, async(current): Promise<void> => {
      await records.transaction(async(stores): Promise<void> => {
        // Only once, even if several nodes are asked several times.
        if (await stores.citizens.setState(citizen.id, 'DELETING')) {
          const type = citizen.brought ? 'webid.unlinked' : 'webid.deleted';
          await stores.audit.append(webIdEvent(type, citizen, now(), context));
        }
      });
      await this.finishDeleting(current);
    });
  }

  /**
   * Finishes work that a crash interrupted, here or on another node, and waits for work in progress. A citizen whose
   * work fails again stays in the same state.
   */
  public async recover(): Promise<void> {
    for (const state of [ 'DELETING', 'CREATING' ] as const) {
      for (const citizen of await this.options.records.citizens.listByState(state)) {
        await this.finish(citizen, state).catch((error: unknown): void => {
          this.options.logger.error(`Could not finish what was interrupted (${state}): ${messageOf(error)}`);
        });
      }
    }
  }

  /**
   * Erases the citizens that the operator has marked, unless another process is erasing them. Call it every few
   * seconds. Any process retries a failure after five minutes.
   */
  public async eraseMarked(): Promise<void> {
    const { logger, now, records } = this.options;
    for (;;) {
      const at = now();
      const citizen = await records.citizens.claimErasure(at, new Date(at.getTime() - claimMs));
      if (!citizen) {
        return;
      }
      try {
        await this.finish(citizen, 'DELETING');
      } catch (error: unknown) {
        logger.error(`Could not erase a citizen: ${messageOf(error)}`);
      }
    }
  }

  private async finishCreating(citizen: Citizen, context?: CallContext): Promise<void> {
    const { now, pods, records } = this.options;
    const { brought, id, podUrl, webId } = citizen;
    const accountId = await pods.make(citizen);
    const isDone = await records.transaction(async(stores): Promise<boolean> => {
      if (!await stores.citizens.activate(id, accountId)) {
        return false;
      }
      if (brought !== 'POD') {
        await stores.podOwners.set(podUrl, [ webId ]);
      }
      await stores.audit.append(webIdEvent(brought ? 'webid.linked' : 'webid.created', citizen, now(), context));
      return true;
    });
    if (!isDone) {
      await this.giveUp({ ...citizen, accountId });
    }
  }

  /** Undoes the work of this process: another process has created or removed the citizen meanwhile. */
  private async giveUp(citizen: Citizen): Promise<void> {
    const current = await this.options.records.citizens.findById(citizen.id);
    if (!current) {
      await this.options.pods.remove(citizen);
    }
    if (current?.state !== 'ACTIVE') {
      throw new Unavailable('The WebID was removed elsewhere at the same time.');
    }
  }

  private async finishDeleting(citizen: Citizen): Promise<void> {
    const { mutex, now, pods, records, shared } = this.options;
    await records.transaction(async(stores): Promise<void> => shared.endRights(stores, citizen, now()));
    // Waits for sharing in progress, which would recreate containers.
    await mutex.run(citizen.id, async(): Promise<void> => pods.remove(citizen));
    await records.transaction(async(stores): Promise<void> => {
      // Includes data that was being shared while rights ended.
      await shared.endShares(stores, citizen, now());
      await shared.forgetShares(stores, citizen);
      if (citizen.brought !== 'POD') {
        await stores.podOwners.set(citizen.podUrl, []);
      }
      await stores.audit.forget(citizen.id);
      await stores.citizens.erase(citizen.id, now());
    });
  }

  /** Runs work on the current state of a citizen exclusively, or waits for the work already running in this process. */
  private async once(citizen: Citizen, work: (current: Citizen) => Promise<void>): Promise<void> {
    let running = this.working.get(citizen.id);
    if (!running) {
      running = this.options.mutex.run(`state ${citizen.id}`, async(): Promise<void> => {
        const current = await this.options.records.citizens.findById(citizen.id);
        if (current) {
          await work(current);
        }
      }).finally((): boolean => this.working.delete(citizen.id));
      this.working.set(citizen.id, running);
    }
    await running;
  }
}
