import type { WebId } from '../platform/webId';
import type { FeedEvent, NewEvent } from './Event';

/** Where events are left for their data users. */
export interface Outbox {
  /**
   * Leaves events, in their order: within the transaction it is called in, or in one of its own. A reader of the feed
   * of a data user finds them in the order in which transactions are committed, and skips none.
   */
  raise: (events: readonly NewEvent[]) => Promise<void>;
}

/** Extent of the feed of a data user. */
export interface Feed {
  /** Number of the last event; 0 when there was none. */
  last: number;
  /** Number of the last event that is no longer kept; 0 when all are. */
  forgotten: number;
}

/** Part of a feed. */
export interface FeedPage extends Feed {
  events: FeedEvent[];
}

/** Events of data users, each in a feed of their own. */
export interface EventStore extends Outbox {
  /**
   * Lists events of a data user, in their order.
   *
   * @param dataUser - WebID.
   * @param after - Number of the event after which to begin.
   * @param limit - Most events.
   */
  list: (dataUser: WebId, after: number, limit: number) => Promise<FeedPage>;
  /**
   * Forgets events from before a moment, and those of the same feed that stand before them.
   *
   * @returns The number of events that it forgot: `most` when there may be more.
   */
  forget: (before: Date, most: number) => Promise<number>;
}
