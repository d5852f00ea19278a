import type {
  KeyValueStorage,
  NotificationChannel,
  NotificationChannelStorage,
  ResourceIdentifier,
} from '@solid/community-server';
import { readWholeNumber } from '../../platform/wholeNumber';
import { changingValues } from '../values/ValueChange';
import { currentSubscriber } from './Subscriber';
import type { Subscriber } from './Subscriber';
import type { BookedSubscription } from './SubscriptionBook';
import { SubscriptionBook } from './SubscriptionBook';

/** A way for short texts to the other processes that serve the same resources. */
export interface TextRelay {
  publish: (text: string) => void;
  subscribe: (listener: (text: string) => void) => void;
}

/** A subscription, with who made it. */
export type HeldChannel = NotificationChannel & { subscriber?: Subscriber };

/** Options of {@link BoundedChannelStorage}. */
export interface BoundedChannelStorageArgs {
  /** The server's own storage of subscriptions. */
  source: NotificationChannelStorage;
  /** Where that keeps its values. */
  values: KeyValueStorage<string, unknown>;
  /** To the other processes. */
  relay: TextRelay;
  /** Subscriptions to one resource. */
  maxSubscriptionsPerResource: number;
  /** Subscriptions of one WebID. */
  maxSubscriptionsPerCaller: number;
  /** Subscriptions from one address. */
  maxSubscriptionsPerAddress: number;
  /** Subscriptions in all. */
  maxSubscriptions: number;
}

/** Between processes: what was entered, or the id of what was struck out. */
interface Message {
  subscription?: BookedSubscription;
  ended?: string;
}

/** Those of processes that were not heard of are found by then, and those that were removed otherwise are gone. */
const reviewMs = 600_000;

/**
 * The server's subscriptions, within bounds. Whoever makes one is noted with it, for the right to read and the counts;
 * those of before a restart count, too.
 */
export class BoundedChannelStorage implements NotificationChannelStorage {
  private readonly source: NotificationChannelStorage;
  private readonly values: KeyValueStorage<string, unknown>;
  private readonly relay: TextRelay;
  private readonly book: SubscriptionBook;
  private reviewed?: Promise<void>;

  public constructor(args: BoundedChannelStorageArgs) {
    this.source = args.source;
    this.values = args.values;
    this.relay = args.relay;
    this.book = new SubscriptionBook({
      perResource: readWholeNumber('maxSubscriptionsPerResource', args.maxSubscriptionsPerResource),
      perCaller: readWholeNumber('maxSubscriptionsPerCaller', args.maxSubscriptionsPerCaller),
      perAddress: readWholeNumber('maxSubscriptionsPerAddress', args.maxSubscriptionsPerAddress),
      inAll: readWholeNumber('maxSubscriptions', args.maxSubscriptions),
    });
    this.relay.subscribe((text): void => this.hear(JSON.parse(text) as Message));
    setInterval((): void => {
      this.reviewed = undefined;
    }, reviewMs).unref();
  }

  /**
   * Looks whether somebody may subscribe to anything, before their request is taken apart.
   *
   * @throws HttpError 429 or 503 when there would be too many.
   */
  public async check(subscriber: Subscriber): Promise<void> {
    this.reviewed ??= this.review();
    await this.reviewed;
    this.book.check(subscriber, Date.now());
  }

  public async get(id: string): Promise<HeldChannel | undefined> {
    // One that has ended is removed.
    return changingValues(async(): Promise<HeldChannel | undefined> => this.source.get(id));
  }

  public async getAll(topic: ResourceIdentifier): Promise<string[]> {
    return this.source.getAll(topic);
  }

  public async add(channel: NotificationChannel): Promise<void> {
    const held: HeldChannel = { ...channel, subscriber: currentSubscriber.getStore() ?? {}};
    await this.check(held.subscriber!);
    const subscription = booked(held);
    this.book.admit(subscription, Date.now());
    try {
      await changingValues(async(): Promise<void> => this.source.add(held));
    } catch (error: unknown) {
      this.book.strike(channel.id);
      throw error;
    }
    this.relay.publish(JSON.stringify({ subscription }));
  }

  public async update(channel: NotificationChannel): Promise<void> {
    await changingValues(async(): Promise<void> => this.source.update(channel));
  }

  public async delete(id: string): Promise<boolean> {
    const existed = await changingValues(async(): Promise<boolean> => this.source.delete(id));
    this.book.strike(id);
    this.relay.publish(JSON.stringify({ ended: id }));
    return existed;
  }

  private hear({ subscription, ended }: Message): void {
    if (subscription) {
      this.book.enter(subscription);
    } else if (ended !== undefined) {
      this.book.strike(ended);
    }
  }

  /** Counts what is stored. */
  private async review(): Promise<void> {
    const known = this.book.ids();
    const found: BookedSubscription[] = [];
    for await (const [ , value ] of this.values.entries()) {
      const channel = channelIn(value);
      if (channel) {
        found.push(booked(channel));
      }
    }
    this.book.replace(found, known);
  }
}

function booked({ id, topic, endAt, subscriber = {}}: HeldChannel): BookedSubscription {
  return { id, topic, subscriber, endAt };
}

/** The server's storages wrap values with long keys in a `payload`; the lists by resource are no subscriptions. */
function channelIn(value: unknown): HeldChannel | undefined {
  const { payload = value } = (value ?? {}) as { payload?: unknown };
  const { id, topic } = (payload ?? {}) as Partial<HeldChannel>;
  return typeof id === 'string' && typeof topic === 'string' ? payload as HeldChannel : undefined;
}
