import type { CallContext } from '../audit/CallContext';
import { ofCall } from '../audit/CallContext';
import type { Clock } from '../platform/clock';
import { MapRequestNotFound, NotOfOrganisation } from '../problems';
import type { Zone } from './geometry/readZone';
import type { Notices } from './notices/Notices';
import type { Organisation } from './Organisations';
import type {
  ListedMapRequest,
  MapRequest,
  MapRequestContent,
  MapRequestFilter,
  MapRequestState,
  PlanRecords,
  RequestZone,
  SeenMapRequestFilter,
  UnaZoneState,
} from './PlanStores';
import type { MapRequestDraft, MapRequestDrafts } from './MapRequestDrafts';
import { lastWorkingDayOf } from './terms';

/** Dependencies of {@link MapRequests}. */
export interface MapRequestsOptions {
  records: PlanRecords;
  notices: Pick<Notices, 'leave'>;
  drafts: Pick<MapRequestDrafts, 'draft'>;
  now: Clock;
}

/** A request, and the zones that it was sent to. */
export interface SentMapRequest<TRequest extends ListedMapRequest = MapRequest> {
  request: TRequest;
  zones: RequestZone[];
}

/** A request in a list, with the zones that it was sent to. */
export type ListedSent = SentMapRequest<ListedMapRequest>;

/** An operator's answer about a request in one of its zones. */
export type Reply = 'Confirmed' | 'NotInvolved';

const answered = new Set<UnaZoneState>([ 'NotInvolved', 'Responded' ]);

/** Checks whether an operator has answered in a zone. */
export function isAnswered({ state }: Pick<RequestZone, 'state'>): boolean {
  return answered.has(state);
}

/** Checks whether an answer in a zone is the last one that its request waits for. */
export function closesRequest(zones: readonly RequestZone[], answer: RequestZone): boolean {
  return isAnswered(answer) && zones.every((each): boolean => each.zoneId === answer.zoneId || isAnswered(each));
}

/** Plan requests, filed by people who are about to dig, and sent to every operator whose zone they meet. */
export class MapRequests {
  private readonly options: MapRequestsOptions;

  public constructor(options: MapRequestsOptions) {
    this.options = options;
  }

  /**
   * Files a request.
   *
   * @throws PeriodInvalid, PeriodInPast, NatureOfWorksUnknown, PhoneInvalid
   */
  public async file(
    content: MapRequestContent,
    zone: Zone,
    organisation: Organisation,
    context: CallContext,
  ): Promise<SentMapRequest> {
    // Repeated when a zone that the request meets was removed meanwhile.
    for (;;) {
      const draft = await this.options.drafts.draft(content, zone, organisation);
      if (await this.save(draft, context)) {
        return { request: draft.request, zones: draft.zones };
      }
    }
  }

  /** Lists the requests that an organisation filed, newest first; one more than the limit when there are more. */
  public async listFiled(organisation: Organisation, filter: MapRequestFilter): Promise<ListedSent[]> {
    const { now, records: { mapRequests }} = this.options;
    return this.withZones(await mapRequests.listFiled(organisation.id, { ...filter, now: now() }));
  }

  /** @throws MapRequestNotFound also when it is archived, or another organisation's. */
  public async getFiled(id: string, { id: organisationId }: Organisation): Promise<SentMapRequest> {
    const sent = await this.find(id);
    if (sent?.request.organisationId !== organisationId) {
      throw new MapRequestNotFound();
    }
    return sent;
  }

  /** Lists the requests in an operator's zones, each with the zones of that operator. */
  public async listReceived(organisation: Organisation, filter: MapRequestFilter): Promise<ListedSent[]> {
    const { now, records: { mapRequests }} = this.options;
    const sent = await this.withZones(await mapRequests.listReceived(organisation.id, { ...filter, now: now() }));
    return sent.map(({ request, zones }): ListedSent =>
      ({ request, zones: zones.filter(({ organisationId }): boolean => organisationId === organisation.id) }));
  }

  /** Lists the requests that met a municipality's zone when they were filed, newest first. */
  public async listSeen(organisation: Organisation, filter: SeenMapRequestFilter): Promise<ListedSent[]> {
    const { now, records: { mapRequests }} = this.options;
    return this.withZones(await mapRequests.listSeen(organisation.id, { ...filter, now: now() }));
  }

  /** @throws MapRequestNotFound also when it is archived, or met no zone of the municipality. */
  public async getSeen(id: string, organisation: Organisation): Promise<SentMapRequest> {
    const sent = await this.find(id);
    if (!sent || !await this.options.records.mapRequests.isSeenBy(id, organisation.id)) {
      throw new MapRequestNotFound();
    }
    return sent;
  }

  /** @throws MapRequestNotFound also when it is archived, or in no zone of the operator. */
  public async getReceived(id: string, organisation: Organisation): Promise<SentMapRequest> {
    const sent = await this.find(id);
    const zones = sent?.zones.filter(({ organisationId }): boolean => organisationId === organisation.id) ?? [];
    if (!sent || zones.length === 0) {
      throw new MapRequestNotFound();
    }
    return { request: sent.request, zones };
  }

  /**
   * Records an operator's answer to a request in a zone.
   *
   * @returns The state of the zone; `Invalid` when it was answered before.
   *
   * @throws MapRequestNotFound, NotOfOrganisation
   */
  public async reply(
    { requestId, zoneId, reply }: { requestId: string; zoneId: string; reply: Reply },
    organisation: Organisation,
    context: CallContext,
  ): Promise<UnaZoneState> {
    const { notices, now, records } = this.options;
    return records.transaction(async(stores): Promise<UnaZoneState> => {
      const { audit, mapRequests } = stores;
      const request = await mapRequests.lock(requestId);
      const zones = request && request.archivedAt > now() ? await mapRequests.listZones([ requestId ]) : [];
      const zone = zones.find((each): boolean => each.zoneId === zoneId);
      if (!request || !zone) {
        throw new MapRequestNotFound();
      }
      if (zone.organisationId !== organisation.id) {
        throw new NotOfOrganisation();
      }
      if (isAnswered(zone) || zone.state === 'Validating') {
        return 'Invalid';
      }
      const next: RequestZone = { ...zone, state: reply };
      const isLast = closesRequest(zones, next);
      await mapRequests.setState(next, now(), isLast);
      if (isLast) {
        await notices.leave(stores, 'Complete', request, zones);
      }
      const facts = { request: requestId, zone: zoneId, organisation: organisation.id, reply };
      await audit.append({ type: 'plan.request.replied', at: now(), ...ofCall(context, facts) });
      return reply;
    });
  }

  /** Returns the current state of a request, as its initiator sees it. */
  public stateOf({ request: { closedAt, packageBy, plans, zones }}: ListedSent): MapRequestState {
    if (zones === 0) {
      return 'NoUnaInvolved';
    }
    if (closedAt) {
      return plans > 0 ? 'PlansAvailable' : 'NoNetworksInZone';
    }
    const isLate = packageBy <= this.options.now();
    if (plans > 0) {
      return isLate ? 'IncompletePackageAvailable' : 'IncompleteAnswerAvailable';
    }
    return isLate ? 'TermElapsed' : 'Waiting';
  }

  /** Records a request, unless one of its zones was removed. */
  private async save({ pdas, request, zones }: MapRequestDraft, context: CallContext): Promise<boolean> {
    const { notices, records } = this.options;
    return records.transaction(async(stores): Promise<boolean> => {
      const { audit, jobs, mapRequests, unaZones } = stores;
      if (await unaZones.keep(zones.map(({ zoneId }): string => zoneId)) < zones.length) {
        return false;
      }
      await mapRequests.save(request, zones, pdas);
      await notices.leave(stores, 'Confirm', request, zones);
      for (const { answerBy, zoneId } of zones) {
        await jobs.add('remind', `${request.id}/${zoneId}`, lastWorkingDayOf(answerBy));
      }
      const facts = { request: request.id, organisation: request.organisationId, zones: zones.length };
      await audit.append({ type: 'plan.request.filed', at: request.receivedAt, ...ofCall(context, facts) });
      return true;
    });
  }

  private async withZones(requests: ListedMapRequest[]): Promise<ListedSent[]> {
    const zones = await this.options.records.mapRequests.listZones(requests.map(({ id }): string => id));
    return requests.map((request): ListedSent =>
      ({ request, zones: zones.filter(({ requestId }): boolean => requestId === request.id) }));
  }

  private async find(id: string): Promise<SentMapRequest | undefined> {
    const { now, records: { mapRequests }} = this.options;
    const request = await mapRequests.find(id);
    return request && request.archivedAt > now() ? { request, zones: await mapRequests.listZones([ id ]) } : undefined;
  }
}
