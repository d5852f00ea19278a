import type { Channel } from 'node:diagnostics_channel';
import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';

/** A completed request. */
export interface AnsweredRequest {
  /** Method and path as mounted, such as `GET /v1/resources`; never the actual values. */
  operation: string;
  status: number;
  seconds: number;
  /** Name of the problem in the response. */
  problem?: string;
  /** Rule that a refused token breaks. */
  reason?: string;
}

/** A failed request to a source. */
export interface SourceTrouble {
  /** IRI of the data type. */
  dataType: string;
}

/** A check of shares of a data type at their origin, or a search for due checks. */
export interface OriginCheck {
  /** IRI of the data type. */
  dataType: string;
  /**
   * Outcome of one check: `valid`, `invalid`, `absent`, `unavailable`, or `idle` when nobody has the share any more.
   */
  outcome?: string;
  /** Time for which the first due check has been due. */
  lateSeconds?: number;
}

/** A write to the sink of the audit record. */
export interface AuditSinkState {
  isFailing: boolean;
  /** Age of the first row that the sink lacks; absent when unknown. */
  behindSeconds?: number;
}

/** An attempt to push an event to an endpoint. */
export interface EventPush {
  outcome: 'delivered' | 'failed';
  /** Time between the cause of the event and this attempt. */
  lagSeconds: number;
}

/** Events for metrics. Nothing is created or sent without a listener. */
class Topic<T> {
  private readonly channel: Channel<unknown, unknown>;

  public constructor(name: string) {
    this.channel = channel(`css-data-sharing:${name}`);
  }

  /** True when there is a listener. */
  public get isHeard(): boolean {
    return this.channel.hasSubscribers;
  }

  public publish(message: T): void {
    this.channel.publish(message);
  }

  /** Adds a listener. Returns a function that removes it. */
  public listen(listener: (message: T) => void): () => void {
    const { name } = this.channel;
    // Only `publish` writes to the channel.
    function onMessage(message: unknown): void {
      listener(message as T);
    }
    subscribe(name, onMessage);
    return (): void => {
      unsubscribe(name, onMessage);
    };
  }
}

/** Published for every completed request, of this service or the Solid server. */
export const answeredRequests = new Topic<AnsweredRequest>('answered');
/** Published for every failed request to a source. */
export const sourceTroubles = new Topic<SourceTrouble>('source-trouble');
/** Published for every automatic check of a share, and every search for due checks. */
export const originChecks = new Topic<OriginCheck>('origin-check');
/** Number of rows waiting to be written to the audit record, published whenever it changes. */
export const auditQueueLengths = new Topic<number>('audit-queue');
/** True while a key in use cannot be read here, published whenever it changes. */
export const missingKeys = new Topic<boolean>('missing-keys');
/** Published for every attempt to push an event. */
export const eventPushes = new Topic<EventPush>('event-push');
/** Published for every attempt to write to the sink of the audit record. */
export const auditSinkStates = new Topic<AuditSinkState>('audit-sink');
