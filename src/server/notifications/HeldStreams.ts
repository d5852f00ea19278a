import { randomUUID } from 'node:crypto';
import type { Writable } from 'node:stream';
import type { SetMultiMap } from '@solid/community-server';
import { readWholeNumber } from '../../platform/readWholeNumber';
import type { BoundedChannelStorage } from './BoundedChannelStorage';
import type { ReadingRight } from './ReadingRight';
import { RecentEnds } from './RecentEnds';
import type { Subscriber } from './Subscriber';
import { SubscriptionBook } from './SubscriptionBook';

/** Options of {@link HeldStreams}. */
export interface HeldStreamsArgs {
  /** Open streams of this process, by resource. */
  streamMap: SetMultiMap<string, Writable>;
  /** The right of their holders to read. */
  right: ReadingRight;
  /** Subscriptions that are stored: streams end with those of the same holder. */
  subscriptions: BoundedChannelStorage;
  /** Maximum streams about one resource. */
  maxSubscriptionsPerResource: number;
  /** Maximum streams of one WebID. */
  maxSubscriptionsPerCaller: number;
  /** Maximum streams from one address. */
  maxSocketsPerAddress: number;
  /** Maximum streams in total. */
  maxSubscriptions: number;
  /** Maximum lifetime of a stream, in hours. */
  subscriptionHours: number;
}

const maxTimerMs = 2_147_483_647;
/** Maximum bytes that were sent and not read. */
const maxBufferedBytes = 1_048_576;

/** Notification streams of this process: their bounds, holders and ends. */
export class HeldStreams {
  private readonly streamMap: SetMultiMap<string, Writable>;
  private readonly right: ReadingRight;
  private readonly lifetimeMs: number;
  private readonly book: SubscriptionBook;
  private readonly holders = new WeakMap<Writable, Subscriber>();
  /** Requests under way: their resources, by subscriber. */
  private readonly opening = new Map<Subscriber, string>();
  /** Subscribers of those whose streams have ended meanwhile. */
  private readonly ended = new WeakSet<Subscriber>();
  private readonly ends = new RecentEnds();

  public constructor(args: HeldStreamsArgs) {
    this.streamMap = args.streamMap;
    this.right = args.right;
    this.lifetimeMs = Math.min(
      readWholeNumber('subscriptionHours', args.subscriptionHours) * 3_600_000,
      maxTimerMs,
    );
    this.book = new SubscriptionBook({
      perResource: readWholeNumber('maxSubscriptionsPerResource', args.maxSubscriptionsPerResource),
      perCaller: readWholeNumber('maxSubscriptionsPerCaller', args.maxSubscriptionsPerCaller),
      perAddress: readWholeNumber('maxSocketsPerAddress', args.maxSocketsPerAddress),
      inAll: readWholeNumber('maxSubscriptions', args.maxSubscriptions),
    });
    args.subscriptions.onRemoval((holder): void => this.endOf(holder));
  }

  /**
   * Counts a stream that is about to open.
   *
   * @param topic - URL of the resource.
   * @param subscriber - The subscriber.
   * @param arrivedAt - Time before the log-in of the subscriber was checked, by `performance.now()`.
   *
   * @returns Function to call when the stream closes or does not open.
   *
   * @throws HttpError 429 or 503 when there are too many.
   */
  public admit(topic: string, subscriber: Subscriber, arrivedAt: number): () => void {
    const id = randomUUID();
    this.book.admit({ id, topic, subscriber }, Date.now());
    if (this.ends.hasEnded(subscriber.webId, arrivedAt)) {
      this.ended.add(subscriber);
    }
    this.opening.set(subscriber, topic);
    return (): void => {
      this.opening.delete(subscriber);
      this.book.strike(id);
    };
  }

  /**
   * Records the subscriber of a stream, and limits its lifetime. Ends it at once if the streams of this WebID ended
   * after the request had arrived, or those about this pod after {@link admit}.
   *
   * @param stream - The stream, which is open.
   * @param subscriber - The same object as for {@link admit}.
   */
  public hold(stream: Writable, subscriber: Subscriber): void {
    const topic = this.opening.get(subscriber);
    this.opening.delete(subscriber);
    if (topic !== undefined && this.ended.has(subscriber)) {
      this.end(topic, stream);
      return;
    }
    this.holders.set(stream, subscriber);
    const timer = setTimeout((): unknown => stream.end(), this.lifetimeMs).unref();
    stream.once('close', (): void => clearTimeout(timer));
  }

  /** Ends the streams of subscribers who may no longer read the resource, or do not read their messages. */
  public async review(topic: string): Promise<void> {
    for (const stream of this.streamMap.get(topic) ?? []) {
      const holder = this.holders.get(stream);
      // The right to read of one that is just opening has been checked.
      if (holder && !await this.right.mayRead(holder, topic)) {
        this.end(topic, stream);
      } else if (stream.writableLength > maxBufferedBytes) {
        stream.destroy();
      }
    }
  }

  /** Ends the streams of a WebID, or about the resources of a pod, and those that are just opening. */
  private endOf(holder: string): void {
    this.ends.note(holder);
    for (const [ subscriber, topic ] of this.opening) {
      if (isHeldBy(holder, subscriber, topic)) {
        this.ended.add(subscriber);
      }
    }
    for (const [ topic, stream ] of this.streamMap.entries()) {
      const subscriber = this.holders.get(stream);
      if (subscriber && isHeldBy(holder, subscriber, topic)) {
        this.end(topic, stream);
      }
    }
  }

  private end(topic: string, stream: Writable): void {
    this.streamMap.deleteEntry(topic, stream);
    stream.end();
  }
}

function isHeldBy(holder: string, { webId }: Subscriber, topic: string): boolean {
  return webId === holder || (holder.endsWith('/') && topic.startsWith(holder));
}
