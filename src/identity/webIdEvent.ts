import type { AuditEvent } from '../audit/AuditLog';
import type { CallContext } from '../audit/CallContext';
import { ofCall } from '../audit/CallContext';
import type { Citizen } from './CitizenStore';

/** Audit event about an operation on a citizen's WebID. */
export function webIdEvent(
  type: 'webid.created' | 'webid.read' | 'webid.deleted' | 'webid.linked' | 'webid.unlinked',
  citizen: Citizen,
  at: Date,
  context: Partial<CallContext> = {},
): AuditEvent {
  return {
    type,
    at,
    ...ofCall(context),
    personal: { webId: citizen.webId, ...citizen.brought && { pod: citizen.podUrl }},
    citizenId: citizen.id,
  };
}
