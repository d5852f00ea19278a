import type { EventType, NewEvent } from '../../events/Event';
import type { Clock } from '../../platform/clock';
import type { WebId } from '../../platform/webId';
import { isWebId } from '../../platform/webId';
import type { Organisations } from '../Organisations';
import type { MapRequest, Notice, PlanStores, RequestZone } from '../PlanStores';

/** Dependencies of {@link Notices}. */
export interface NoticesOptions {
  organisations: Pick<Organisations, 'clientsOf'>;
  /** True when mails can be sent. */
  isMailed: boolean;
  /** URL of the service, without a slash at the end. */
  url: string;
  now: Clock;
}

/** Stores that notices are left in. */
export type NoticeStores = Pick<PlanStores, 'events' | 'jobs' | 'unaZones'>;

const eventTypes: Record<Notice, EventType> = {
  Confirm: 'PlanRequestReceived',
  Reminder: 'PlanRequestTermEnding',
  Complete: 'PlanRequestAnswered',
  Archived: 'PlanRequestArchived',
};
/** Notices that the initiator of a request receives, too. */
const forInitiator: ReadonlySet<Notice> = new Set([ 'Complete', 'Archived' ]);

/** Notices about plan requests: events for clients of organisations, and mails where the settings of a zone say so. */
export class Notices {
  private readonly options: NoticesOptions;

  public constructor(options: NoticesOptions) {
    this.options = options;
  }

  /**
   * Leaves a notice, in the transaction of its cause.
   *
   * @param stores - Stores of the transaction.
   * @param notice - Kind of notice.
   * @param request - The request concerned.
   * @param zones - Zones whose operators receive it.
   */
  public async leave(
    stores: NoticeStores,
    notice: Notice,
    request: Pick<MapRequest, 'id' | 'organisationId'>,
    zones: readonly Pick<RequestZone, 'organisationId' | 'zoneId'>[],
  ): Promise<void> {
    await stores.events.raise(this.eventsOf(notice, request, zones));
    for (const { zoneId } of this.options.isMailed ? zones : []) {
      const settings = (await stores.unaZones.find(zoneId))?.settings;
      if (settings?.contactEmail !== undefined && settings.mails[notice]) {
        await stores.jobs.add('mail', `${notice}/${request.id}/${zoneId}`, this.options.now());
      }
    }
  }

  private eventsOf(
    notice: Notice,
    { id, organisationId }: Pick<MapRequest, 'id' | 'organisationId'>,
    zones: readonly Pick<RequestZone, 'organisationId'>[],
  ): NewEvent[] {
    const at = this.options.now();
    const operators = new Set(zones.map((zone): string => zone.organisationId));
    const readers: [string, string][] = [ ...operators ].map((operator): [string, string] => [ operator, 'una' ]);
    if (forInitiator.has(notice)) {
      readers.push([ organisationId, 'mri' ]);
    }
    return readers.flatMap(([ reader, path ]): NewEvent[] => this.clientsOf(reader).map((dataUser): NewEvent => ({
      dataUser,
      type: eventTypes[notice],
      at,
      data: { planRequest: `${this.options.url}/maprequest/${id}/${path}` },
    })));
  }

  /** Lists the clients with a feed: those named by WebID. */
  private clientsOf(organisationId: string): WebId[] {
    return this.options.organisations.clientsOf(organisationId).filter(isWebId);
  }
}
