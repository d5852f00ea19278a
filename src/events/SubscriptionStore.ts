import type { WebId } from '../platform/webId';
import type { EventType } from './Event';

/** State of a subscription: events are pushed only while it is active. */
export type SubscriptionStatus =
  'ACTIVE' |
  /** Paused by the operator. */
  'PAUSED' |
  /** Pushing has failed for so long that it stopped, until the data user resumes it. */
  'FAILING' |
  /** The endpoint responded that it is gone. */
  'ENDED';

/** An endpoint to which events of a data user are pushed. */
export interface Subscription {
  id: string;
  /** WebID. */
  dataUser: WebId;
  endpoint: string;
  /** Types of events to push; all when absent. */
  events?: EventType[];
  createdAt: Date;
  status: SubscriptionStatus;
  /** Number of the last event that was pushed or skipped. */
  position: number;
  /** Time of the next push; absent when there is nothing to push. */
  dueAt?: Date;
  /** Number of failed attempts in a row. */
  attempts: number;
  /** Time of the first of them. */
  failingSince?: Date;
  /** Reason of the last failure, never taken from the response of the endpoint. */
  lastFailure?: string;
  /** Counts changes by others than the pushing process. */
  revision: number;
}

/** State of pushing, recorded by the pushing process. */
export type PushState =
  Pick<Subscription, 'attempts' | 'dueAt' | 'failingSince' | 'lastFailure' | 'position' | 'status'>;

/** Subscriptions by id and data user, with due times. */
export interface SubscriptionStore {
  /** Locks the subscriptions and events of a data user against inserts until the transaction ends. */
  lock: (dataUser: WebId) => Promise<void>;
  /** Inserts a subscription; returns false when the data user already has one with this endpoint. */
  insert: (subscription: Subscription) => Promise<boolean>;
  find: (id: string) => Promise<Subscription | undefined>;
  /** Lists the subscriptions of a data user, or all, oldest first. */
  list: (dataUser?: WebId) => Promise<Subscription[]>;
  /** Returns false when there is none. */
  remove: (id: string) => Promise<boolean>;
  /** Removes those of a data user whose WebID ends. */
  removeAllOf: (dataUser: WebId) => Promise<void>;
  /**
   * Changes a subscription from outside the pushing process, which then starts over.
   *
   * @returns False, changing nothing, when somebody else changed or removed it since it was read.
   */
  change: (subscription: Subscription) => Promise<boolean>;
  /** Makes active subscriptions due whose data users have unnoticed events. */
  notice: (now: Date) => Promise<void>;
  /** Makes active subscriptions due that have no due time though there is something to push, or one after `latest`. */
  wake: (now: Date, latest: Date) => Promise<void>;
  /** Lists active subscriptions that are due, either failing or others, earliest first. Reads no others. */
  listDue: (now: Date, isFailing: boolean, limit: number) => Promise<Subscription[]>;
  /**
   * Records the state of pushing.
   *
   * @returns False, recording nothing, when somebody changed or removed the subscription, or when another process has
   * pushed later events: it took over while this one was frozen.
   */
  record: (subscription: Pick<Subscription, 'id' | 'revision'>, state: PushState) => Promise<boolean>;
}
