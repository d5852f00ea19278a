import type { CallContext } from '../audit/CallContext';
import type { Clock, NewId } from '../platform/clock';
import type { Records } from '../platform/Records';
import type { WebId } from '../platform/webId';
import { IdentityMismatch, WebIdNotFound } from '../problems';
import type { Caller } from '../tokens/Caller';
import type { CitizenCallers } from './CitizenCallers';
import type { CitizenPodService } from './CitizenPodService';
import type { CitizenStates } from './CitizenStates';
import type { Citizen, NewCitizen } from './CitizenStore';
import type { IdentityStores } from './IdentityStores';
import type { NationalNumber } from './NationalNumber';
import type { WebIdWithPod } from './PodHost';
import { webIdEvent } from './webIdEvent';

/** Dependencies of {@link WebIdService}. */
export interface WebIdServiceOptions<TStores extends IdentityStores> {
  records: Records<TStores>;
  callers: Pick<CitizenCallers, 'findForDeletion' | 'identify'>;
  pods: Pick<CitizenPodService<TStores>, 'place' | 'repair'>;
  states: Pick<CitizenStates<TStores>, 'delete' | 'finish'>;
  now: Clock;
  newId: NewId;
}

/** A person named by a token or a log-in provider. */
export interface Person {
  nationalNumber: NationalNumber;
  /** One of the person's WebIDs. */
  webId?: WebId;
}

/** Finds, creates, links and removes citizens' WebIDs and pods by national number. */
export class WebIdService<TStores extends IdentityStores> {
  private readonly options: WebIdServiceOptions<TStores>;

  public constructor(options: WebIdServiceOptions<TStores>) {
    this.options = options;
  }

  /**
   * Returns the WebID of the citizen whose national number is in the token.
   *
   * @throws ClaimMissing, IssuerNotNational, IdentityInvalid, IdentityMismatch, AppNotAllowed, WebIdNotFound
   */
  public async get(caller: Caller, context: CallContext): Promise<WebIdWithPod> {
    const { callers, now, records } = this.options;
    const { citizen } = await callers.identify(caller);
    if (citizen?.state !== 'ACTIVE') {
      throw new WebIdNotFound();
    }
    records.audit.enqueue(webIdEvent('webid.read', citizen, now(), context));
    return citizen;
  }

  /**
   * Creates a WebID and pod for the citizen, or returns the existing ones and repairs the profile. A WebID of the
   * citizen's own is linked, and gets a pod if it owns none here. Of concurrent calls, only the one that made a pod
   * returns `created`.
   *
   * @throws As {@link get}, without WebIdNotFound; IdentityAmbiguous, Unavailable.
   */
  public async create(caller: Caller, context: CallContext): Promise<WebIdWithPod & { created: boolean }> {
    const { citizen, nationalNumber } = await this.options.callers.identify(caller);
    return nationalNumber === undefined ?
        this.confirm(citizen) :
        this.provide({ nationalNumber, webId: caller.webId }, citizen, context);
  }

  /**
   * Like {@link create}, for a person named by a log-in provider.
   *
   * @throws IdentityMismatch, IdentityAmbiguous, Unavailable
   */
  public async createFor(person: Person, context: CallContext): Promise<WebIdWithPod & { created: boolean }> {
    const known = await this.options.records.citizens.findByNationalNumber(person.nationalNumber);
    return this.provide(person, known, context);
  }

  /**
   * Removes the citizen's WebID and pod and everything that depends on them. A WebID or pod that the citizen brought
   * stays, without the shared data and the grants on it. The citizen's tokens are refused from the first step on; a
   * crash at any point is finished later.
   *
   * @returns The removed WebID.
   *
   * @throws As {@link get}.
   */
  public async delete(caller: Caller, context: CallContext): Promise<string> {
    const citizen = await this.options.callers.findForDeletion(caller);
    if (!citizen) {
      throw new WebIdNotFound();
    }
    await this.options.states.delete(citizen, context);
    return citizen.webId;
  }

  private async confirm(citizen: Citizen): Promise<WebIdWithPod & { created: boolean }> {
    await this.options.pods.repair(citizen);
    return { ...citizen, created: false };
  }

  private async provide(
    person: Person,
    known: Citizen | undefined,
    context: CallContext,
  ): Promise<WebIdWithPod & { created: boolean }> {
    const { records, states } = this.options;
    if (known?.state === 'ACTIVE') {
      return this.confirm(known);
    }
    if (known?.state === 'DELETING') {
      await states.finish(known, 'DELETING');
    }
    const { citizen, inserted } = known?.state === 'CREATING' ?
        { citizen: known, inserted: false } :
        await records.citizens.insertOrGet(await this.newcomer(person));
    if (person.webId !== undefined && person.webId !== citizen.webId) {
      throw new IdentityMismatch();
    }
    if (citizen.state !== 'ACTIVE') {
      await states.finish(citizen, 'CREATING', context);
    }
    return { ...citizen, created: inserted && citizen.brought !== 'POD' };
  }

  private async newcomer({ nationalNumber, webId }: Person): Promise<NewCitizen> {
    const { newId, now, pods } = this.options;
    const id = newId();
    return { id, ...await pods.place(id, webId), nationalNumber, createdAt: now() };
  }
}
