import type { AuditEvent } from './AuditLog';

/** Facts about the request behind an event, for the audit record. */
export interface CallContext {
  correlationId: string;
  /** `client_id` (else `azp`) of the calling application, when the token names one. */
  app?: string;
}

/** Merges the facts of an event with those of its call; they identify nobody. */
export function ofCall(
  { app, correlationId }: Partial<CallContext>,
  facts: AuditEvent['facts'] = {},
): Pick<AuditEvent, 'correlationId' | 'facts'> {
  return { correlationId, facts: { ...facts, ...app !== undefined && { app }}};
}
