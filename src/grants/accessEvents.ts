import type { NewEvent } from '../events/Event';
import type { GrantTerms } from './AccessGrant';

/** Details of a grant for its recipient. */
export type AnnouncedGrant = Pick<GrantTerms, 'contract' | 'kind' | 'recipient' | 'resources' | 'uri'>;

/**
 * Makes the event for the recipient when a grant begins or ends. Requests and denials have none: they give no access.
 */
export function accessEvents(
  type: 'AccessGranted' | 'AccessRevoked' | 'AccessExpired',
  { contract, kind, recipient: dataUser, resources, uri }: AnnouncedGrant,
  at: Date,
): NewEvent[] {
  const data = {
    accessGrant: uri,
    resources,
    ...contract && { contract: new URL(`/v1/contracts/${contract.id}`, uri).href },
  };
  return kind === 'grant' && dataUser !== '' ? [{ dataUser, type, at, data }] : [];
}

/** Makes the event for the requestor when an access request is answered. */
export function answerEvent(
  request: Pick<GrantTerms, 'subject' | 'uri'>,
  answer: Pick<GrantTerms, 'kind' | 'uri'>,
  at: Date,
): NewEvent {
  return {
    dataUser: request.subject,
    type: answer.kind === 'grant' ? 'AccessRequestApproved' : 'AccessRequestDenied',
    at,
    data: { accessRequest: request.uri, ...answer.kind === 'grant' && { accessGrant: answer.uri }},
  };
}
