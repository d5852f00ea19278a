import type { AuditEvent, AuditEventType } from '../audit/AuditLog';
import type { CallContext } from '../audit/CallContext';
import { ofCall } from '../audit/CallContext';
import type { CitizenStore } from '../identity/CitizenStore';
import type { GrantTerms } from './AccessGrant';

/** Events in the life of an access request, grant or denial. */
export type GrantEventType =
  Extract<AuditEventType, 'grant.denied' | 'grant.issued' | 'grant.requested' | 'grant.revoked'>;

/** Details of an event of {@link grantEvent}. */
export interface GrantEventDetails {
  type: GrantEventType;
  at: Date;
  context: CallContext;
  /** The citizen concerned, see {@link citizenIdOf}. */
  citizenId: string | undefined;
  facts?: AuditEvent['facts'];
}

/** Returns the event of a change to a request, grant or denial, naming both parties and all resources. */
export function grantEvent(grant: GrantTerms, { type, at, context, citizenId, facts }: GrantEventDetails): AuditEvent {
  return {
    type,
    at,
    ...ofCall(context, facts),
    personal: {
      owner: grant.subject,
      grantee: grant.recipient,
      grant: grant.uri,
      resources: grant.resources.join(' '),
    },
    citizenId,
  };
}

/** Returns the citizen concerned by a request, grant or denial: its subject, otherwise its recipient, if recorded. */
export async function citizenIdOf(
  { subject, recipient }: GrantTerms,
  citizens: Pick<CitizenStore, 'findByWebId'>,
): Promise<string | undefined> {
  const citizen = await citizens.findByWebId(subject) ??
    (recipient === '' ? undefined : await citizens.findByWebId(recipient));
  return citizen?.id;
}
