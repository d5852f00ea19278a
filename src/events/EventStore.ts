import type { WebId } from '../platform/webId';
import type { FeedEvent, NewEvent } from './Event';

/** Outbox of events for data users. */
export interface Outbox {
  /**
   * Adds events in order, within the current transaction or in one of its own. A reader of a data user's feed finds
   * them in the order in which transactions commit, and skips none.
   */
  raise: (events: readonly NewEvent[]) => Promise<void>;
}

/** Extent of a data user's feed. */
export interface Feed {
  /** Number of the last event; 0 when there is none. */
  last: number;
  /** Number of the last removed event; 0 when none was removed. */
  forgotten: number;
}

/** Part of a feed. */
export interface FeedPage extends Feed {
  events: FeedEvent[];
}

/** Events of data users, each in the data user's own feed. */
export interface EventStore extends Outbox {
  /**
   * Lists events of a data user in order.
   *
   * @param dataUser - WebID.
   * @param after - Number of the event after which to begin.
   * @param limit - Maximum number of events.
   */
  list: (dataUser: WebId, after: number, limit: number) => Promise<FeedPage>;
  /**
   * Removes events that were written before a moment, whatever the time of their cause, and earlier events of the same
   * feed.
   *
   * @returns Number of removed events: `most` when there may be more.
   */
  forget: (before: Date, most: number) => Promise<number>;
}
