/** What the audit log keeps about the request behind an event. */
export interface CallContext {
  correlationId: string;
  /** `client_id` (else `azp`) of the calling application, when the token names one. */
  app?: string;
}
