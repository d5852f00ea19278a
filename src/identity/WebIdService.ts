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

/** Parts of {@link WebIdService}. */
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
  /** A WebID of theirs. */
  webId?: WebId;
}

/** Citizens' WebIDs and pods: found, made or linked, and removed by national number. */
export class WebIdService<TStores extends IdentityStores> {
  private readonly options: WebIdServiceOptions<TStores>;

  public constructor(options: WebIdServiceOptions<TStores>) {
    this.options = options;
  }

  /**
   * The WebID of the citizen whose national number is in the token.
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
   * Makes a WebID and pod for the citizen, or returns the existing ones and repairs the profile. A WebID that the
   * citizen had before is linked, and gets a pod when it owns none here.
   * However many calls run at once, one of them has `created`: that a pod was made.
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
   * The same for somebody whom a log-in provider has named.
   *
   * @throws IdentityMismatch, IdentityAmbiguous, Unavailable
   */
  public async createFor(person: Person, context: CallContext): Promise<WebIdWithPod & { created: boolean }> {
    const known = await this.options.records.citizens.findByNationalNumber(person.nationalNumber);
    return this.provide(person, known, context);
  }

  /**
   * Removes the citizen's WebID and pod and all that hangs on them. Of what was there before the citizen was linked,
   * nothing is removed but what was shared, and the grants on it.
   * Their tokens are refused from the first step on; a crash at any point is finished later.
   *
   * @returns The WebID that was.
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
