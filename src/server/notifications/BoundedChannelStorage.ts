import { getLoggerFor, setSafeInterval, UnauthorizedHttpError } from '@solid/community-server';
import type {
  KeyValueStorage,
  NotificationChannel,
  NotificationChannelStorage,
  ResourceIdentifier,
} from '@solid/community-server';
import { KeyedMutex } from '../../platform/KeyedMutex';
import { parseOwn } from '../../platform/ownJson';
import { podUrlOf } from '../../platform/podUrl';
import { readWholeNumber } from '../../platform/readWholeNumber';
import type { FolderStorage } from '../holders/FolderStorage';
import type { HeldValues } from '../holders/HeldStorage';
import { HolderNotes } from '../holders/HolderNotes';
import { isSealed, SealedStorage } from '../sealing/SealedStorage';
import type { SealSource } from '../sealing/SealSource';
import { changingValues } from '../values/ValueChange';
import { isRecord } from '../../platform/isRecord';
import { opened } from '../../platform/opened';
import { RecentEnds } from './RecentEnds';
import { currentSubscriber } from './Subscriber';
import type { Subscriber } from './Subscriber';
import type { OpenContainers } from './OpenContainers';
import type { BookedSubscription } from './SubscriptionBook';
import { SubscriptionBook } from './SubscriptionBook';

/** Relays short texts to the other processes that serve the same resources. */
export interface TextRelay {
  publish: (text: string) => void;
  subscribe: (listener: (text: string) => void) => void;
}

/** A subscription with its subscriber. */
export type HeldChannel = NotificationChannel & { subscriber?: Subscriber };

/** Options of {@link BoundedChannelStorage}. */
export interface BoundedChannelStorageArgs {
  /** The server's own storage of subscriptions. */
  source: NotificationChannelStorage;
  /** The encrypted storage of its values. */
  channels: KeyValueStorage<string, unknown>;
  /** Path of these values, which cannot be decrypted under another path. */
  channelArea: string;
  /** The server's own values; the subscribers are recorded below the path `area`. */
  values: KeyValueStorage<string, unknown>;
  /** The same values below that path, by folder. */
  folders: FolderStorage;
  /** Path of the notes. */
  area: string;
  /** Secrets of the server. */
  seals: SealSource;
  /** Relays to the other processes. */
  relay: TextRelay;
  /** Containers to whose resources there can be subscriptions. */
  containers: OpenContainers;
  /** Maximum subscriptions to one resource. */
  maxSubscriptionsPerResource: number;
  /** Maximum subscriptions of one WebID. */
  maxSubscriptionsPerCaller: number;
  /** Maximum subscriptions from one address. */
  maxSubscriptionsPerAddress: number;
  /** Maximum subscriptions in total. */
  maxSubscriptions: number;
}

/** Message between processes: an added subscription, the id of a removed one, or the holder whose subscriptions end. */
interface Message {
  subscription?: BookedSubscription;
  ended?: string;
  endedHolder?: string;
}

/**
 * Interval of reviews, which find subscriptions of other processes whose message was lost, and drop those that were
 * removed.
 */
const reviewMs = 600_000;
const sweepMs = 3_600_000;

/**
 * The server's subscriptions, within bounds. Each is stored with its subscriber, for checking the right to read and for
 * the counts, which survive a restart. Subscriptions of one subscriber, and of one pod, are found by index.
 */
export class BoundedChannelStorage implements NotificationChannelStorage, HeldValues {
  private readonly logger = getLoggerFor(this);
  private readonly source: NotificationChannelStorage;
  private readonly stored: KeyValueStorage<string, unknown>;
  private readonly channels: SealedStorage;
  private readonly notes: HolderNotes;
  private readonly relay: TextRelay;
  private readonly containers: OpenContainers;
  private readonly book: SubscriptionBook;
  /**
   * Serialises changes to the list of a resource, which would overtake each other. Other processes rarely interfere.
   */
  private readonly turns = new KeyedMutex();
  private readonly listeners: ((holder: string) => void)[] = [];
  /** Subscribers of requests under way. */
  private readonly underWay = new Set<Subscriber>();
  /** Those of them whose subscriptions have ended meanwhile. */
  private readonly ended = new WeakSet<Subscriber>();
  private readonly ends = new RecentEnds();
  private reviewed?: Promise<void>;

  public constructor(args: BoundedChannelStorageArgs) {
    this.source = args.source;
    this.stored = args.channels;
    this.channels = new SealedStorage(args.channels, args.channelArea, args.seals);
    this.notes = new HolderNotes(args);
    this.relay = args.relay;
    this.containers = args.containers;
    this.book = new SubscriptionBook({
      perResource: readWholeNumber('maxSubscriptionsPerResource', args.maxSubscriptionsPerResource),
      perCaller: readWholeNumber('maxSubscriptionsPerCaller', args.maxSubscriptionsPerCaller),
      perAddress: readWholeNumber('maxSubscriptionsPerAddress', args.maxSubscriptionsPerAddress),
      inAll: readWholeNumber('maxSubscriptions', args.maxSubscriptions),
    });
    this.relay.subscribe((text): void => this.hear(parseOwn(text)));
    setInterval((): void => {
      this.reviewed = undefined;
    }, reviewMs).unref();
    setSafeInterval(this.logger, 'Notes of subscriptions', this.sweep.bind(this), sweepMs).unref();
  }

  /**
   * Notes a request to subscribe, as soon as its subscriber is known: if the subscriptions of this WebID have ended
   * since it arrived, or end meanwhile, none is added.
   *
   * @param subscriber - The subscriber.
   * @param arrivedAt - Time before the log-in of the subscriber was checked, by `performance.now()`.
   *
   * @returns Function to call when the request is answered.
   */
  public begin(subscriber: Subscriber, arrivedAt: number): () => void {
    if (this.ends.hasEnded(subscriber.webId, arrivedAt)) {
      this.ended.add(subscriber);
    }
    this.underWay.add(subscriber);
    return (): void => {
      this.underWay.delete(subscriber);
    };
  }

  /**
   * Checks whether a subscriber may add any subscription, before the request is parsed.
   *
   * @throws HttpError 429 or 503 when there are too many.
   */
  public async check(subscriber: Subscriber): Promise<void> {
    this.reviewed ??= this.review().catch((error: unknown): never => {
      // The next request tries again.
      this.reviewed = undefined;
      throw error;
    });
    await this.reviewed;
    this.book.check(subscriber, Date.now());
  }

  public async get(id: string): Promise<HeldChannel | undefined> {
    // An expired subscription is removed.
    return changingValues(async(): Promise<HeldChannel | undefined> => this.source.get(id));
  }

  public async getAll(topic: ResourceIdentifier): Promise<string[]> {
    return this.source.getAll(topic);
  }

  /**
   * @throws HttpError 401 when the subscriptions of the WebID have ended since {@link begin}; 404 when the container is
   * closed; 429 or 503 at a bound.
   */
  public async add(channel: NotificationChannel): Promise<void> {
    const subscriber = currentSubscriber.getStore() ?? {};
    const held: HeldChannel = { ...channel, subscriber };
    await this.check(subscriber);
    const subscription = booked(held);
    this.book.admit(subscription, Date.now());
    try {
      for (const holder of holdersOf(held)) {
        await this.notes.note(holder, channel.id);
      }
      await this.turns.run(channel.topic, async(): Promise<void> =>
        changingValues(async(): Promise<void> => this.source.add(held)));
    } catch (error: unknown) {
      this.book.strike(channel.id);
      throw error;
    }
    if (this.ended.has(subscriber) || !await this.isNoted(held)) {
      await this.delete(channel.id);
      throw new UnauthorizedHttpError('The log-in of the subscriber has ended.');
    }
    await this.containers.requireOpen(held.topic, async(): Promise<unknown> => this.delete(held.id));
    this.relay.publish(JSON.stringify({ subscription }));
  }

  public async update(channel: NotificationChannel): Promise<void> {
    await this.turns.run(channel.topic, async(): Promise<void> => changingValues(async(): Promise<void> => {
      // The server's own `update` would store a subscription again that has ended meanwhile, in any process.
      if (await this.source.get(channel.id)) {
        await this.source.update(channel);
      }
    }));
  }

  public async delete(id: string): Promise<boolean> {
    // `get` removes an expired subscription; the server's own `delete` of one would wait for itself.
    const channel = await this.get(id);
    const existed = channel !== undefined && await this.turns.run(channel.topic, async(): Promise<boolean> =>
      changingValues(async(): Promise<boolean> => this.source.delete(id)));
    this.book.strike(id);
    this.relay.publish(JSON.stringify({ ended: id }));
    for (const holder of channel ? holdersOf(channel) : []) {
      await this.notes.forget(holder, id);
    }
    return existed;
  }

  /**
   * Calls a function when the subscriptions of a holder end, in whichever process: for those that are not stored.
   *
   * @param listener - Takes a WebID, or the URL of a pod.
   */
  public onRemoval(listener: (holder: string) => void): void {
    this.listeners.push(listener);
  }

  /**
   * Removes all subscriptions of a WebID, or to resources of a pod.
   *
   * @param holder - A WebID, or the URL of a pod.
   */
  public async removeOf(holder: string): Promise<void> {
    this.announce(holder);
    this.relay.publish(JSON.stringify({ endedHolder: holder }));
    for (const id of await this.notes.keysOf(holder)) {
      await this.delete(id);
      await this.notes.forget(holder, id);
      // It may have been stored just before its note was removed; after that, `add` removes it.
      if (await this.get(id)) {
        await this.delete(id);
      }
    }
    await this.notes.close(holder);
  }

  /** Removes subscriptions that an earlier version stored unencrypted; clients subscribe again. */
  public async takeOver(): Promise<void> {
    await this.notes.takeOver(async(): Promise<void> => {
      const clear: string[] = [];
      for await (const [ name, value ] of this.stored.entries()) {
        clear.push(...isSealed(value) ? [] : [ name ]);
      }
      for (const name of clear) {
        await this.stored.delete(name);
      }
    });
  }

  /** Removes expired subscriptions, and notes of removed ones. */
  public async sweep(now = Date.now()): Promise<void> {
    await this.notes.sweep(async(id): Promise<boolean> => await this.get(id) !== undefined, now);
  }

  /** False when another process has ended the subscriptions of a holder since this one was noted. */
  private async isNoted(channel: HeldChannel): Promise<boolean> {
    for (const holder of holdersOf(channel)) {
      if (!await this.notes.has(holder, channel.id)) {
        return false;
      }
    }
    return true;
  }

  private hear({ subscription, ended, endedHolder }: Message): void {
    if (subscription) {
      this.book.enter(subscription);
    } else if (ended !== undefined) {
      this.book.strike(ended);
    } else if (endedHolder !== undefined) {
      this.announce(endedHolder);
    }
  }

  private announce(holder: string): void {
    this.ends.note(holder);
    for (const subscriber of this.underWay) {
      if (subscriber.webId === holder) {
        this.ended.add(subscriber);
      }
    }
    for (const listener of this.listeners) {
      listener(holder);
    }
  }

  /** Counts the stored subscriptions. */
  private async review(): Promise<void> {
    const known = this.book.ids();
    const found: BookedSubscription[] = [];
    for await (const [ , value ] of this.channels.entries()) {
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

/** Returns undefined for the lists by resource, which are not subscriptions. */
function channelIn(value: unknown): HeldChannel | undefined {
  return isRecord(value) && typeof value.id === 'string' && typeof value.topic === 'string' ?
      opened<HeldChannel>(value) :
    undefined;
}

/** Returns the subscriber, and the pod of the topic. */
function holdersOf({ subscriber, topic }: HeldChannel): string[] {
  const pod = podUrlOf(new URL(topic));
  return subscriber?.webId === undefined ? [ pod ] : [ pod, subscriber.webId ];
}
