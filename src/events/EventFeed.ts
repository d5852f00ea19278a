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
  /** Keys that authenticate cursors: the one in use first. */
  cursorKeys: () => Buffer[];
  /** Events are kept for so long, in milliseconds. */
  keptMs: number;
  now: Clock;
}

/** Part of the feed of a data user. */
export interface EventPage {
  events: FeedEvent[];
  /** Cursor of what follows, now or later. */
  next: string;
  /** True when more is there already. */
  hasMore: boolean;
}

/** Events that are forgotten in one transaction. */
const forgottenAtOnce = 1000;

/** The events of data users, for them to read. */
export class EventFeed {
  /** Where it is read: the source of its events. */
  public readonly url: string;

  public constructor(private readonly options: EventFeedOptions) {
    this.url = `${options.baseUrl}v1/events`;
  }

  /**
   * Lists events of a data user, in their order.
   *
   * @param dataUser - WebID.
   * @param after - Cursor of a page before; the earliest events that are kept when absent.
   * @param limit - Most events.
   *
   * @throws ParameterInvalid when the cursor is not one of this data user.
   * @throws EventsGone when events after the cursor are no longer kept; it has the URL to begin with.
   */
  public async list(dataUser: WebId, after: string | undefined, limit: number): Promise<EventPage> {
    const start = after === undefined ? undefined : this.readCursor(dataUser, after);
    const page = await this.options.events.list(dataUser, start ?? 0, limit);
    this.requireKept(dataUser, start, page);
    const last = page.events.at(-1)?.number ?? Math.max(start ?? 0, page.forgotten);
    return { events: page.events, next: this.writeCursor(dataUser, last), hasMore: last < page.last };
  }

  /** Forgets events that were kept for long enough. To be called every few minutes. */
  public async forget(): Promise<void> {
    const { events, keptMs, now } = this.options;
    let forgotten = forgottenAtOnce;
    while (forgotten >= forgottenAtOnce) {
      forgotten = await events.forget(new Date(now().getTime() - keptMs), forgottenAtOnce);
    }
  }

  /**
   * The number of the event after which a cursor begins.
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

  /** The cursor after an event of a data user. */
  public writeCursor(dataUser: WebId, number: number): string {
    const [ key ] = this.options.cursorKeys();
    return writeFeedCursor(key, dataUser, number);
  }

  private readCursor(dataUser: WebId, cursor: string): number {
    return readFeedCursor(this.options.cursorKeys(), dataUser, cursor);
  }

  private requireKept(dataUser: WebId, start: number | undefined, { forgotten, last }: Feed): void {
    if (start !== undefined && (start < forgotten || start > last)) {
      // Past the end: the records are those of an earlier moment, put back from a backup.
      const begin = `${this.url}?after=${this.writeCursor(dataUser, forgotten)}`;
      throw new EventsGone(undefined, { members: { begin }});
    }
  }
}
