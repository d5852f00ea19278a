import type { AuditEvent } from '../audit/AuditLog';
import type { CallContext } from '../audit/CallContext';
import { ofCall } from '../audit/CallContext';
import type { Clock, NewId } from '../platform/clock';
import type { Logger } from '../platform/logger';
import { IdentityMismatch, Unavailable, WebIdNotFound } from '../problems';
import type { Records } from '../platform/Records';
import type { Caller } from '../tokens/Caller';
import type { Mutex } from '../platform/KeyedMutex';
import { messageOf } from '../platform/errors';
import type { CitizenCallers } from './CitizenCallers';
import type { Citizen, NewCitizen } from './CitizenStore';
import type { NationalNumber } from './NationalNumber';
import type { OwnWebIds } from './OwnWebIds';
import type { IdentityStores } from './IdentityStores';
import type { PodHost } from './PodHost';
import type { SharedByCitizens } from './SharedByCitizens';
import { sharesContainer } from './sharesContainer';

/** Parts and settings of {@link WebIdService}. */
export interface WebIdServiceOptions<TStores extends IdentityStores> {
  records: Records<TStores>;
  /** Ends the shares of a citizen, in the same transaction. */
  shared: SharedByCitizens<TStores>;
  pods: PodHost;
  ownWebIds: Pick<OwnWebIds, 'find' | 'prepare'>;
  callers: Pick<CitizenCallers, 'findForDeletion' | 'identify'>;
  /** Keeps what is done to one citizen's pod apart, by citizen id. */
  mutex: Mutex;
  now: Clock;
  newId: NewId;
  logger: Logger;
}

/** How long a process may take to erase a citizen, before another one tries. */
const claimMs = 300_000;

/** A citizen's WebID, and the pod that their data goes to. */
export type WebIdWithPod = Pick<Citizen, 'podUrl' | 'webId'>;

/** A person named by a token or a log-in provider. */
export interface Person {
  nationalNumber: NationalNumber;
  /** A WebID of theirs. */
  webId?: string;
}

/** Citizens' WebIDs and pods: found, made or linked, and removed by national number. */
export class WebIdService<TStores extends IdentityStores> {
  private readonly records: Records<TStores>;
  private readonly shared: SharedByCitizens<TStores>;
  private readonly pods: PodHost;
  private readonly ownWebIds: WebIdServiceOptions<TStores>['ownWebIds'];
  private readonly callers: WebIdServiceOptions<TStores>['callers'];
  private readonly mutex: Mutex;
  private readonly now: Clock;
  private readonly newId: NewId;
  private readonly logger: Logger;
  /** Work in progress by citizen, so that parallel calls share it. */
  private readonly working = new Map<string, Promise<unknown>>();

  public constructor(options: WebIdServiceOptions<TStores>) {
    this.records = options.records;
    this.shared = options.shared;
    this.pods = options.pods;
    this.ownWebIds = options.ownWebIds;
    this.callers = options.callers;
    this.mutex = options.mutex;
    this.now = options.now;
    this.newId = options.newId;
    this.logger = options.logger;
  }

  /**
   * The WebID of the citizen whose national number is in the token.
   *
   * @throws ClaimMissing, IssuerNotNational, IdentityInvalid, IdentityMismatch, AppNotAllowed, WebIdNotFound
   */
  public async get(caller: Caller, context: CallContext): Promise<WebIdWithPod> {
    const { citizen } = await this.callers.identify(caller);
    if (citizen?.state !== 'ACTIVE') {
      throw new WebIdNotFound();
    }
    this.records.audit.enqueue(this.event('webid.read', citizen, context));
    return citizen;
  }

  /**
   * Makes a WebID and pod for the citizen, or answers the ones there are and puts the profile right. A WebID that the
   * citizen had before is linked, and gets a pod when it owns none here.
   * However many calls run at once, one of them has `created`: that a pod was made.
   *
   * @throws As {@link get}, without WebIdNotFound; IdentityAmbiguous.
   */
  public async create(caller: Caller, context: CallContext): Promise<WebIdWithPod & { created: boolean }> {
    const { citizen, nationalNumber } = await this.callers.identify(caller);
    return nationalNumber === undefined ?
        this.confirm(citizen) :
        this.provide({ nationalNumber, webId: caller.webId }, citizen, context);
  }

  /**
   * The same for somebody whom a log-in provider has named.
   *
   * @throws IdentityMismatch, IdentityAmbiguous
   */
  public async createFor(person: Person, context: CallContext): Promise<WebIdWithPod & { created: boolean }> {
    return this.provide(person, await this.records.citizens.findByNationalNumber(person.nationalNumber), context);
  }

  /** Puts the profile of a citizen on record right. */
  private async confirm(citizen: Citizen): Promise<WebIdWithPod & { created: boolean }> {
    if (!citizen.brought) {
      await this.unlessOvertaken(citizen, async(): Promise<void> =>
        this.pods.repair(citizen.podUrl, citizen.webId));
    }
    return { ...citizen, created: false };
  }

  private async provide(
    person: Person,
    known: Citizen | undefined,
    context: CallContext,
  ): Promise<WebIdWithPod & { created: boolean }> {
    if (known?.state === 'ACTIVE') {
      return this.confirm(known);
    }
    if (known?.state === 'DELETING') {
      await this.once(known, async(current): Promise<void> => this.goOn(current, 'DELETING'));
    }
    const { citizen, inserted } = known?.state === 'CREATING' ?
        { citizen: known, inserted: false } :
        await this.records.citizens.insertOrGet(await this.newcomer(person));
    if (person.webId !== undefined && person.webId !== citizen.webId) {
      throw new IdentityMismatch();
    }
    if (citizen.state !== 'ACTIVE') {
      await this.once(citizen, async(current): Promise<void> => this.goOn(current, 'CREATING', context));
    }
    return { ...citizen, created: inserted && citizen.brought !== 'POD' };
  }

  /**
   * Removes the citizen's WebID and pod and all that hangs on them. Of what was there before the citizen was linked,
   * nothing is removed but what was shared, and the grants on it.
   * Their tokens are refused from the first step on; a crash at any point is finished by {@link recover}.
   *
   * @returns The WebID that was.
   *
   * @throws As {@link get}.
   */
  public async delete(caller: Caller, context: CallContext): Promise<string> {
    const citizen = await this.callers.findForDeletion(caller);
    if (!citizen) {
      throw new WebIdNotFound();
    }
    await this.working.get(citizen.id);
    await this.once(citizen, async(current): Promise<void> => {
      await this.records.transaction(async(stores): Promise<void> => {
        await stores.citizens.setState(citizen.id, 'DELETING');
        await stores.audit.append(this.event(citizen.brought ? 'webid.unlinked' : 'webid.deleted', citizen, context));
      });
      await this.finishDeleting(current);
    });
    return citizen.webId;
  }

  /**
   * Finishes what a crash interrupted, here or on another node; what is in progress is waited for. A citizen whose work
   * fails again stays as they are.
   */
  public async recover(): Promise<void> {
    for (const state of [ 'DELETING', 'CREATING' ] as const) {
      for (const citizen of await this.records.citizens.listByState(state)) {
        await this.once(citizen, async(current): Promise<void> => this.goOn(current, state))
          .catch((error: unknown): void => {
            this.logger.error(`Could not finish what was interrupted (${state}): ${messageOf(error)}`);
          });
      }
    }
  }

  /**
   * Erases whom the operator has marked, unless another process is at it. To be called every few seconds.
   * Failures are tried again, by any process, after five minutes.
   */
  public async eraseMarked(): Promise<void> {
    for (;;) {
      const now = this.now();
      const citizen = await this.records.citizens.claimErasure(now, new Date(now.getTime() - claimMs));
      if (!citizen) {
        return;
      }
      try {
        await this.once(citizen, async(current): Promise<void> => this.goOn(current, 'DELETING'));
      } catch (error: unknown) {
        this.logger.error(`Could not erase a citizen: ${messageOf(error)}`);
      }
    }
  }

  /** Removes what there may be of the pod of a citizen who was erased. Returns true when there was something. */
  public async removeRemains(podUrl: string): Promise<boolean> {
    return await this.records.citizens.isTombstone(podUrl) && this.pods.removeRemains(podUrl);
  }

  /** Nothing is left to do when somebody else has done it. */
  private async goOn(current: Citizen, state: 'CREATING' | 'DELETING', context?: CallContext): Promise<void> {
    if (current.state === state) {
      await (state === 'DELETING' ? this.finishDeleting(current) : this.finishCreating(current, context));
    }
  }

  private async finishCreating(citizen: Citizen, context?: CallContext): Promise<void> {
    const { brought, id, podUrl, webId } = citizen;
    const accountId = await this.unlessOvertaken(citizen, async(): Promise<string | undefined> =>
      this.makePod(citizen));
    const isDone = await this.records.transaction(async(stores): Promise<boolean> => {
      if (!await stores.citizens.activate(id, accountId)) {
        return false;
      }
      if (brought !== 'POD') {
        await stores.podOwners.set(podUrl, [ webId ]);
      }
      await stores.audit.append(this.event(brought ? 'webid.linked' : 'webid.created', citizen, context));
      return true;
    });
    if (!isDone) {
      await this.giveUp({ ...citizen, accountId });
    }
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
      const current = await this.records.citizens.findById(id);
      if (current?.state === state) {
        throw error;
      }
      await this.removeRemains(podUrl);
      throw new Unavailable('The WebID was made or removed elsewhere at the same time.', { cause: error });
    }
  }

  /** Another process has made the same meanwhile, or removed it: this one then leaves nothing. */
  private async giveUp(citizen: Citizen): Promise<void> {
    const current = await this.records.citizens.findById(citizen.id);
    if (!current) {
      await this.removePod(citizen);
    }
    if (current?.state !== 'ACTIVE') {
      throw new Unavailable('The WebID was removed elsewhere at the same time.');
    }
  }

  /**
   * Makes what the citizen does not have yet: all of it, a pod, or a place in the pod for what is shared.
   *
   * @returns The account of a pod that was made.
   */
  private async makePod(citizen: Citizen): Promise<string | undefined> {
    const { brought, id, webId } = citizen;
    if (brought === 'POD') {
      await this.ownWebIds.prepare(citizen);
      return;
    }
    let known = citizen.accountId;
    const { accountId } = await this.pods.create(id, known, async(account): Promise<void> => {
      if (!await this.records.citizens.setAccount(id, known, account)) {
        throw new Unavailable('The WebID was made or removed elsewhere at the same time.');
      }
      known = account;
    }, brought && webId);
    return accountId;
  }

  private async newcomer({ nationalNumber, webId }: Person): Promise<NewCitizen> {
    const id = this.newId();
    const place = webId === undefined ? this.pods.locate(id) : await this.ownWebIds.find(webId, id);
    return { id, ...place, nationalNumber, createdAt: this.now() };
  }

  private async finishDeleting(citizen: Citizen): Promise<void> {
    await this.records.transaction(async(stores): Promise<void> =>
      this.shared.endRights(stores, citizen, this.now()));
    // Waits for sharing in progress, which would put containers back.
    await this.mutex.run(citizen.id, async(): Promise<void> => this.removePod(citizen));
    await this.records.transaction(async(stores): Promise<void> => {
      // Also what was shared at the moment when rights ended.
      await this.shared.endShares(stores, citizen, this.now());
      if (citizen.brought !== 'POD') {
        await stores.podOwners.set(citizen.podUrl, []);
      }
      await stores.audit.forget(citizen.id);
      await stores.citizens.erase(citizen.id, this.now());
    });
  }

  /** Removes a pod. One that was there before the citizen stays, but for what was shared. */
  private async removePod(citizen: Citizen): Promise<void> {
    const { accountId, brought, podUrl, webId } = citizen;
    await (brought === 'POD' ?
        this.pods.clear(sharesContainer(citizen), await this.shared.listResources(this.records, citizen)) :
        this.pods.delete(podUrl, brought ? undefined : webId, accountId));
  }

  /** Runs work on a citizen as they are when nobody else does, or waits for the work that is running here. */
  private async once(citizen: Citizen, work: (current: Citizen) => Promise<void>): Promise<void> {
    let running = this.working.get(citizen.id);
    if (!running) {
      running = this.mutex.run(`state ${citizen.id}`, async(): Promise<void> => {
        const current = await this.records.citizens.findById(citizen.id);
        if (current) {
          await work(current);
        }
      }).finally((): boolean => this.working.delete(citizen.id));
      this.working.set(citizen.id, running);
    }
    await running;
  }

  private event(
    type: 'webid.created' | 'webid.read' | 'webid.deleted' | 'webid.linked' | 'webid.unlinked',
    citizen: Citizen,
    context: Partial<CallContext> = {},
  ): AuditEvent {
    return {
      type,
      at: this.now(),
      ...ofCall(context),
      personal: { webId: citizen.webId, ...citizen.brought && { pod: citizen.podUrl }},
      citizenId: citizen.id,
    };
  }
}
