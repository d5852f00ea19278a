import type { Clock } from '../platform/clock';
import type { WebId } from '../platform/webId';
import { EventsGone } from '../problems';
import type { FeedEvent } from './Event';
import type { EventStore, Feed } from './EventStore';
import { readFeedCursor, writeFeedCursor } from './feedCursor';

/** Dependencies of an {@link EventFeed}. */
export interface EventFeedOptions {
  events: EventStore;
  /** Base URL of this server: an origin with a trailing slash. */
  baseUrl: string;
  /** Keys that authenticate cursors, the current one first. */
  cursorKeys: () => Buffer[];
  /** Retention of events in milliseconds. */
  keptMs: number;
  now: Clock;
}

/** Part of the feed of a data user. */
export interface EventPage {
  events: FeedEvent[];
  /** Cursor of the events that follow, now or later. */
  next: string;
  /** True when more events exist already. */
  hasMore: boolean;
}

/** Maximum number of events removed in one transaction. */
const forgottenAtOnce = 1000;

/** The feeds of events that data users read. */
export class EventFeed {
  /** URL of the feed, which is the source of its events. */
  public readonly url: string;

  public constructor(private readonly options: EventFeedOptions) {
    this.url = `${options.baseUrl}v1/events`;
  }

  /**
   * Lists events of a data user in order.
   *
   * @param dataUser - WebID.
   * @param after - Cursor of an earlier page; the earliest events kept when absent.
   * @param limit - Maximum number of events.
   *
   * @throws ParameterInvalid when the cursor is not one of this data user.
   * @throws EventsGone when events after the cursor are no longer kept; contains the URL to start again.
   */
  public async list(dataUser: WebId, after: string | undefined, limit: number): Promise<EventPage> {
    const start = after === undefined ? undefined : this.readCursor(dataUser, after);
    const page = await this.options.events.list(dataUser, start ?? 0, limit);
    this.requireKept(dataUser, start, page);
    const last = page.events.at(-1)?.number ?? Math.max(start ?? 0, page.forgotten);
    return { events: page.events, next: this.writeCursor(dataUser, last), hasMore: last < page.last };
  }

  /** Removes events past their retention. Call it every few minutes. */
  public async forget(): Promise<void> {
    const { events, keptMs, now } = this.options;
    let forgotten = forgottenAtOnce;
    while (forgotten >= forgottenAtOnce) {
      forgotten = await events.forget(new Date(now().getTime() - keptMs), forgottenAtOnce);
    }
  }

  /**
   * Returns the number of the event after which a cursor begins.
   *
   * @throws ParameterInvalid, EventsGone as {@link list} does.
   */
  public async locate(dataUser: WebId, cursor: string): Promise<number> {
    const start = this.readCursor(dataUser, cursor);
    await this.requireKeptAfter(dataUser, start);
    return start;
  }

  /**
   * Checks that all events after a number are kept.
   *
   * @throws EventsGone as {@link list} does.
   */
  public async requireKeptAfter(dataUser: WebId, number: number): Promise<void> {
    this.requireKept(dataUser, number, await this.options.events.list(dataUser, number, 1));
  }

  /** Returns the cursor after an event of a data user. */
  public writeCursor(dataUser: WebId, number: number): string {
    const [ key ] = this.options.cursorKeys();
    return writeFeedCursor(key, dataUser, number);
  }

  private readCursor(dataUser: WebId, cursor: string): number {
    return readFeedCursor(this.options.cursorKeys(), dataUser, cursor);
  }

  private requireKept(dataUser: WebId, start: number | undefined, { forgotten, last }: Feed): void {
    if (start !== undefined && (start < forgotten || start > last)) {
      // Beyond the end: the records were restored from an earlier backup.
      const begin = `${this.url}?after=${this.writeCursor(dataUser, forgotten)}`;
      throw new EventsGone(undefined, { members: { begin }});
    }
  }
}
