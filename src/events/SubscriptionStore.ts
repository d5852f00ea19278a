import type { WebId } from '../platform/webId';
import type { EventType } from './Event';

/** State of a subscription: events are pushed while it is active. */
export type SubscriptionStatus =
  'ACTIVE' |
  /** By the operator. */
  'PAUSED' |
  /** Pushing failed for so long that it stopped, until the data user resumes it. */
  'FAILING' |
  /** The endpoint said that it is gone. */
  'ENDED';

/** An endpoint that events of a data user are pushed to. */
export interface Subscription {
  id: string;
  /** WebID. */
  dataUser: WebId;
  endpoint: string;
  /** Types that are pushed; all when absent. */
  events?: EventType[];
  createdAt: Date;
  status: SubscriptionStatus;
  /** Number of the last event that was pushed, or need not be. */
  position: number;
  /** When to push next; absent when there is nothing to push. */
  dueAt?: Date;
  /** Attempts in a row that failed. */
  attempts: number;
  /** When the first of them failed. */
  failingSince?: Date;
  /** Reason of the last failure, never from the response of the endpoint. */
  lastFailure?: string;
  /** Counts the changes of others than the process that pushes. */
  revision: number;
}

/** State of pushing, as the process that does it records it. */
export type PushState =
  Pick<Subscription, 'attempts' | 'dueAt' | 'failingSince' | 'lastFailure' | 'position' | 'status'>;

/** Subscriptions by id and data user, and which of them are due. */
export interface SubscriptionStore {
  /** Lets nobody else insert one of a data user, or raise events for them, until the transaction ends. */
  lock: (dataUser: WebId) => Promise<void>;
  /** Returns false, and inserts nothing, when the data user has one of the same endpoint. */
  insert: (subscription: Subscription) => Promise<boolean>;
  find: (id: string) => Promise<Subscription | undefined>;
  /** Lists those of a data user, or of all, the oldest first. */
  list: (dataUser?: WebId) => Promise<Subscription[]>;
  /** Returns false when there is none. */
  remove: (id: string) => Promise<boolean>;
  /**
   * Changes one for somebody else than the process that pushes, which then begins anew.
   *
   * @returns False when somebody else changed or removed it since it was read: nothing is changed then.
   */
  change: (subscription: Subscription) => Promise<boolean>;
  /** Has active ones due whose data users have events that were not noticed yet. */
  notice: (now: Date) => Promise<void>;
  /** Has all active ones due that are not, or not before `latest` has passed. */
  wake: (now: Date, latest: Date) => Promise<void>;
  /** Lists active ones that are due, failing or others, the first ones first. Nothing else is looked at. */
  listDue: (now: Date, isFailing: boolean, limit: number) => Promise<Subscription[]>;
  /**
   * Records the state of pushing.
   *
   * @returns False when somebody changed or removed the subscription: nothing is recorded then.
   */
  record: (subscription: Pick<Subscription, 'id' | 'revision'>, state: PushState) => Promise<boolean>;
}
