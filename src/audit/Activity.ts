import type { AuditEvent, AuditEventType } from './AuditLog';

/** Events of the audit record that are shown to citizens. */
export const activityTypes = [
  'webid.created',
  'webid.linked',
  'citizen.relinked',
  'login.succeeded',
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
const hourMs = 3_600_000;

/** One event, or the reads of one party on one resource in one hour. */
export interface Activity {
  /** The first of them. */
  event: AuditEvent;
  count: number;
  /** When the last one was. */
  lastAt: Date;
}

/** A page of activity, newest first; `next` is the cursor of the following one. */
export interface ActivityPage {
  activities: Activity[];
  next?: string;
}

/** The part of the audit record about one citizen, in the form shown to that citizen. */
export interface ActivityStore {
  /**
   * A page, newest first. Costs the same whatever the number of rows. Nothing is found about a citizen who was
   * forgotten.
   *
   * @throws ParameterInvalid when the cursor is not one that was given for this citizen.
   */
  list: (citizenId: string, page: { limit: number; after?: string }) => Promise<ActivityPage>;
}

/** Checks whether an event is shown. Of a share, the event itself is: the grant comes with it. */
export function isActivity({ facts, type }: AuditEvent): boolean {
  return types.has(type) && !(type === 'grant.issued' && facts?.contract !== undefined);
}

/** Names the reads that an event is counted with: of one party, on one resource, in one hour. */
export function readsOf({ at, personal, type }: AuditEvent): string | undefined {
  return type === 'resource.read' ?
      JSON.stringify([ personal?.webId, personal?.resource, Math.floor(at.getTime() / hourMs) ]) :
    undefined;
}
