import type { AuditEvent } from './AuditLog';

/** What the audit record keeps about the request behind an event. */
export interface CallContext {
  correlationId: string;
  /** `client_id` (else `azp`) of the calling application, when the token names one. */
  app?: string;
}

/** What an event says of the call that led to it, beside facts of its own, which name nobody. */
export function ofCall(
  { app, correlationId }: Partial<CallContext>,
  facts: AuditEvent['facts'] = {},
): Pick<AuditEvent, 'correlationId' | 'facts'> {
  return { correlationId, facts: { ...facts, ...app !== undefined && { app }}};
}
