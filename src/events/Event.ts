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

/** Facts of an event: URIs alone, never personal data. */
export interface EventData {
  /** URI of the grant that it is about. */
  accessGrant?: string;
  /** URI of the access request that was answered. */
  accessRequest?: string;
  /** IRI of the contract under which the grant was made. */
  contract?: string;
  /** URIs of the resources that the grant names. */
  resources?: string[];
  /** URI of the one resource that it is about. */
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
  /** Moment of its cause. */
  at: Date;
  data: EventData;
}

/** An event in the feed of its data user. */
export interface FeedEvent extends NewEvent {
  /** UUID: one that comes twice has the same. */
  id: string;
  /** 1, 2, 3 … in the feed of the data user. */
  number: number;
}

/** An event as it is sent. */
export interface CloudEvent {
  specversion: '1.0';
  id: string;
  source: string;
  type: string;
  time: string;
  /** Orders events of one feed: as text, too. */
  sequence?: string;
  datacontenttype: 'application/json';
  data: object;
}

/** Digits of the largest safe integer. */
const sequenceDigits = 16;

/**
 * An event in the JSON format of CloudEvents.
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
