import type { NewEvent } from '../events/Event';
import type { GrantTerms } from './AccessGrant';

/** Facts of a grant for its recipient. */
export type AnnouncedGrant = Pick<GrantTerms, 'contract' | 'kind' | 'recipient' | 'resources' | 'uri'>;

/**
 * The event that a grant begins or ends, for its recipient. None for requests and denials: they give no access.
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

/** The event that an access request was answered, for its requestor. */
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
