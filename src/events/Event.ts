import type { WebId } from '../platform/webId';
/** Types of events, as they are on the wire. */
export const eventTypes = [
  'AccessGranted',
  'AccessRevoked',
  'AccessExpired',
  'AccessRequestApproved',
  'AccessRequestDenied',
  'ResourceUpdated',
  'ResourceRemoved',
  'DataCopyDue',
  'DataCopyOverdue',
  'PlanRequestReceived',
  'PlanRequestTermEnding',
  'PlanRequestAnswered',
  'PlanRequestArchived',
] as const;

/** Type of an event. */
export type EventType = typeof eventTypes[number];

/** Facts of an event: URIs only, never personal data. */
export interface EventData {
  /** URI of the grant concerned. */
  accessGrant?: string;
  /** URI of the answered access request. */
  accessRequest?: string;
  /** IRI of the contract under which the grant was made. */
  contract?: string;
  /** URIs of the grant's resources. */
  resources?: string[];
  /** URI of the one resource concerned. */
  resource?: string;
  /** IRI of the purpose of a copy. */
  purpose?: string;
  /** URL of a plan request. */
  planRequest?: string;
}

/** An event for a data user. */
export interface NewEvent {
  /** WebID. */
  dataUser: WebId;
  type: EventType;
  /** Time of its cause. */
  at: Date;
  data: EventData;
}

/** An event in the feed of its data user. */
export interface FeedEvent extends NewEvent {
  /** UUID, the same when an event is delivered twice. */
  id: string;
  /** Sequence number in the feed of the data user, from 1. */
  number: number;
}

/** An event as sent. */
export interface CloudEvent {
  specversion: '1.0';
  id: string;
  source: string;
  type: string;
  time: string;
  /** Orders events of one feed, even when compared as text. */
  sequence?: string;
  datacontenttype: 'application/json';
  data: object;
}

/** Number of digits of the largest safe integer. */
const sequenceDigits = 16;

/**
 * Returns an event in the JSON format of CloudEvents.
 *
 * @see [CloudEvents 1.0.2, section 3](https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/spec.md#context-attributes)
 * @see [Sequence extension](https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/extensions/sequence.md)
 */
export function cloudEvent({ at, data, id, number, type }: FeedEvent, source: string): CloudEvent {
  return {
    specversion: '1.0',
    id,
    source,
    type,
    time: at.toISOString(),
    sequence: String(number).padStart(sequenceDigits, '0'),
    datacontenttype: 'application/json',
    data,
  };
}
