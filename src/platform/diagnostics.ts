import type { Channel } from 'node:diagnostics_channel';
import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';

/** A request was answered. */
export interface AnsweredRequest {
  /** Method and path as it was mounted, such as `GET /v1/resources`; never what stood in the path. */
  operation: string;
  status: number;
  seconds: number;
  /** Name of the problem that was answered. */
  problem?: string;
  /** For a token that was refused: the rule that it breaks. */
  reason?: string;
}

/** A source could not be asked. */
export interface SourceTrouble {
  /** IRI of the data type. */
  dataType: string;
}

/** Shares of a data type were checked at their origin, or looked for. */
export interface OriginCheck {
  /** IRI. */
  dataType: string;
  /** Of one check: `valid`, `invalid`, `absent`, `unavailable`, or `idle` when nobody has it any more. */
  outcome?: string;
  /** For how long the first of those that are due has been. */
  lateSeconds?: number;
}

/** The second place of the audit record was written to. */
export interface AuditSinkState {
  isFailing: boolean;
  /** For how long the first row that it lacks has been in the records; absent when that is not known. */
  behindSeconds?: number;
}

/** An event was pushed to an endpoint. */
export interface EventPush {
  outcome: 'delivered' | 'failed';
  /** Between its cause and this attempt. */
  lagSeconds: number;
}

/** Events for metrics. Nothing is made or sent while nobody listens. */
class Topic<T> {
  private readonly channel: Channel<unknown, unknown>;

  public constructor(name: string) {
    this.channel = channel(`css-data-sharing:${name}`);
  }

  /** True when anybody listens. */
  public get isHeard(): boolean {
    return this.channel.hasSubscribers;
  }

  public publish(message: T): void {
    this.channel.publish(message);
  }

  /** Listens from now on. Returns a function that stops it. */
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

/** Every request that was answered, here or by the server below. */
export const answeredRequests = new Topic<AnsweredRequest>('answered');
/** Every time that a source could not be asked. */
export const sourceTroubles = new Topic<SourceTrouble>('source-trouble');
/** Every check of a share that came by itself, and every time that such checks are looked for. */
export const originChecks = new Topic<OriginCheck>('origin-check');
/** Rows that wait to be written to the audit record: their number, whenever it changes. */
export const auditQueueLengths = new Topic<number>('audit-queue');
/** Published whenever it changes: true while a key in use cannot be read here. */
export const missingKeys = new Topic<boolean>('missing-keys');
/** Every attempt to push an event. */
export const eventPushes = new Topic<EventPush>('event-push');
/** Every attempt to write to the sink of the audit record. */
export const auditSinkStates = new Topic<AuditSinkState>('audit-sink');
