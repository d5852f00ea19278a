import type { Activity, ActivityQuery, ActivityStore } from '../audit/Activity';
import type { AuditEventType } from '../audit/AuditLog';
import type { I18nString } from '../data-types/DataType';
import type { ShareStore } from '../personal-data/ShareStore';
import type { NamedResource, Names } from './Names';

/** Dependencies and settings of {@link ActivityService}. */
export interface ActivityServiceOptions {
  records: {
    activity: ActivityStore;
    shares: Pick<ShareStore, 'findTypes'>;
  };
  names: Names;
  /** Base URL of this server: an origin with a trailing slash. */
  baseUrl: string;
}

/** Further facts that some events have. */
const details = [ 'acr', 'client', 'outcome', 'provider', 'purpose', 'reason', 'verified' ] as const;

/** An event about a citizen's data; times are ISO 8601 in UTC. */
export interface ActivityRecord {
  type: AuditEventType;
  at: string;
  /** Time of the last read, when several reads are shown as one. */
  lastAt: string;
  /** Number of reads by one party on one resource in one hour; 1 for any other event. */
  count: number;
  /** WebID of the actor, or null for the service or its operator. */
  by: string | null;
  byNames: I18nString[];
  /** WebID of the beneficiary, such as the data user of shared data. */
  to: string | null;
  toNames: I18nString[];
  /** Client id of the app that acted. */
  app: string | null;
  resources: NamedResource[];
  /** URI of the access grant. */
  grant: string | null;
  /** URI of the contract. */
  contract: string | null;
  details: Partial<Record<typeof details[number] | 'clientName', string | number | boolean>>;
}

/** A page of activity; `next` is the cursor of the following one. */
export interface ActivityRecords {
  activities: ActivityRecord[];
  next?: string;
}

/** Lists for citizens the events about their data, from the audit record. */
export class ActivityService {
  private readonly options: ActivityServiceOptions;

  public constructor(options: ActivityServiceOptions) {
    this.options = options;
  }

  /**
   * Returns a page of events, newest first, at a cost that does not depend on the number of rows.
   *
   * @param citizenId - Id of the citizen.
   * @param page - Page of the list, with a `limit` of 1 to 200.
   *
   * @throws ParameterInvalid when the cursor was not given to this citizen.
   */
  public async list(citizenId: string, page: ActivityQuery): Promise<ActivityRecords> {
    const { activity, shares } = this.options.records;
    const { activities, next } = await activity.list(citizenId, page);
    const types = await shares.findTypes(activities.flatMap(resourcesOf));
    return { activities: activities.map((entry): ActivityRecord => this.record(entry, types)), next };
  }

  private record(activity: Activity, types: ReadonlyMap<string, string>): ActivityRecord {
    const { baseUrl, names } = this.options;
    const { count, event: { at, facts = {}, personal = {}, type }, lastAt } = activity;
    const by = personal.webId ?? personal.owner ?? null;
    const to = personal.dataUser ?? personal.grantee ?? null;
    return {
      type,
      at: at.toISOString(),
      lastAt: lastAt.toISOString(),
      count,
      by,
      byNames: by === null ? [] : names.ofParty(by),
      to,
      toNames: to === null ? [] : names.ofParty(to),
      app: facts.app === undefined ? null : String(facts.app),
      resources: resourcesOf(activity).map((uri): NamedResource => names.ofResource(uri, types)),
      grant: personal.grant ?? personal.accessGrant ?? null,
      contract: facts.contract === undefined ? null : `${baseUrl}v1/contracts/${String(facts.contract)}`,
      details: {
        ...Object.fromEntries(details.filter((name): boolean => facts[name] !== undefined)
          .map((name): [string, string | number | boolean] => [ name, facts[name] ])),
        ...personal.clientName !== undefined && { clientName: personal.clientName },
      },
    };
  }
}

function resourcesOf({ event: { personal }}: Activity): string[] {
  return (personal?.resource ?? personal?.resources ?? '').split(' ').filter((uri): boolean => uri !== '');
}
