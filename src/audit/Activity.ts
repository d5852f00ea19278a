import type { AuditEvent, AuditEventType } from './AuditLog';

/** Event types of the audit record that are shown to citizens. */
export const activityTypes = [
  'webid.created',
  'webid.linked',
  'citizen.relinked',
  'login.succeeded',
  'login.ended',
  'data.listed',
  'data.shared',
  'credential.invalid',
  'resource.read',
  'resource.listed',
  'resource.created',
  'resource.written',
  'resource.appended',
  'resource.deleted',
  'grant.requested',
  'grant.issued',
  'grant.denied',
  'grant.revoked',
  'businesskey.verified',
  'copy.reported',
  'copy.deleted',
  'citizen.exported',
] as const satisfies readonly AuditEventType[];

const types: ReadonlySet<AuditEventType> = new Set(activityTypes);
/** Types of events in which somebody saw data. Nobody can add them without the right to see it. */
const readTypes: ReadonlySet<AuditEventType> = new Set<AuditEventType>([
  'resource.read',
  'resource.listed',
  'data.listed',
  'businesskey.verified',
]);
const hourMs = 3_600_000;

/** One event, or the reads by one party of one resource in one hour. */
export interface Activity {
  /** The first event. */
  event: AuditEvent;
  count: number;
  /** Time of the last event. */
  lastAt: Date;
}

/** A page of activity to list. */
export interface ActivityQuery {
  limit: number;
  /** `next` of the previous page. */
  after?: string;
  /** True for only those events in which somebody saw data. */
  reads?: boolean;
}

/** A page of activity, newest first; `next` is the cursor of the following one. */
export interface ActivityPage {
  activities: Activity[];
  next?: string;
}

/** The part of the audit record about one citizen, as shown to that citizen. */
export interface ActivityStore {
  /**
   * Lists a page, newest first. Costs the same whatever the number of rows. Returns nothing about a citizen who was
   * erased.
   *
   * @throws ParameterInvalid when the cursor was not issued for this citizen.
   */
  list: (citizenId: string, page: ActivityQuery) => Promise<ActivityPage>;
}

/** Checks whether citizens see an event. A share appears as one event: the issue of its grant is left out. */
export function isActivity({ facts, type }: AuditEvent): boolean {
  return types.has(type) && !(type === 'grant.issued' && facts?.contract !== undefined);
}

/** Checks whether somebody saw data. */
export function isRead({ type }: Pick<AuditEvent, 'type'>): boolean {
  return readTypes.has(type);
}

/** Returns the group of reads that an event belongs to: by one party, of one resource, in one hour. */
export function readsOf({ at, personal, type }: AuditEvent): string | undefined {
  return type === 'resource.read' ?
      JSON.stringify([ personal?.webId, personal?.resource, Math.floor(at.getTime() / hourMs) ]) :
    undefined;
}
