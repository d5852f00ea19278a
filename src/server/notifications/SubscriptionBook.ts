import { tooBusy, tooMany } from '../tooBusy';
import type { Subscriber } from './Subscriber';

/** A subscription as counted. */
export interface BookedSubscription {
  id: string;
  topic: string;
  subscriber: Subscriber;
  /** Milliseconds since 1970. */
  endAt?: number;
}

/** Maximum numbers of concurrent subscriptions. */
export interface SubscriptionBounds {
  perResource: number;
  perCaller: number;
  perAddress: number;
  inAll: number;
}

/** Share of places that anonymous callers can use. */
const shareOfAnonymous = 0.5;

/** Counts subscriptions by resource, subscriber and address. */
export class SubscriptionBook {
  private readonly entries = new Map<string, BookedSubscription>();
  private readonly counts = new Map<string, number>();

  public constructor(private readonly bounds: SubscriptionBounds) {}

  public get size(): number {
    return this.entries.size;
  }

  /**
   * Counts a new subscription.
   *
   * @throws HttpError 429 or 503 when there are too many.
   */
  public admit(subscription: BookedSubscription, now: number): void {
    const { topic, subscriber } = subscription;
    this.check(subscriber, now);
    const share = subscriber.webId === undefined ? shareOfAnonymous : 1;
    if (this.count('resource', topic) >= this.bounds.perResource * share) {
      throw tooBusy('There are too many subscriptions to this resource.');
    }
    this.enter(subscription);
  }

  /**
   * Checks whether a subscriber may add any subscription.
   *
   * @throws HttpError 429 or 503 when there are too many.
   */
  public check({ webId, address }: Subscriber, now: number): void {
    this.dropEnded(now);
    const { perCaller, perAddress, inAll } = this.bounds;
    const share = webId === undefined ? shareOfAnonymous : 1;
    if (webId !== undefined && this.count('caller', webId) >= perCaller) {
      throw tooMany('There are too many subscriptions of this WebID.');
    }
    if (address !== undefined && this.count('address', address) >= perAddress) {
      throw tooMany('There are too many subscriptions from this address.');
    }
    if (this.entries.size >= inAll * share) {
      throw tooBusy('There are too many subscriptions.');
    }
  }

  /** Counts an existing subscription, whatever the bounds. */
  public enter(subscription: BookedSubscription): void {
    this.strike(subscription.id);
    this.entries.set(subscription.id, subscription);
    this.add(subscription, 1);
  }

  public strike(id: string): void {
    const entry = this.entries.get(id);
    if (entry) {
      this.entries.delete(id);
      this.add(entry, -1);
    }
  }

  /** Keeps only the found subscriptions, and those added since the search began. */
  public replace(found: BookedSubscription[], known: ReadonlySet<string>): void {
    const ids = new Set(found.map(({ id }): string => id));
    for (const id of known) {
      if (!ids.has(id)) {
        this.strike(id);
      }
    }
    for (const each of found) {
      this.enter(each);
    }
  }

  public ids(): Set<string> {
    return new Set(this.entries.keys());
  }

  private dropEnded(now: number): void {
    if (this.entries.size < this.bounds.inAll / 2) {
      return;
    }
    for (const { id, endAt = Infinity } of this.entries.values()) {
      if (endAt < now) {
        this.strike(id);
      }
    }
  }

  private count(kind: string, of: string): number {
    return this.counts.get(`${kind} ${of}`) ?? 0;
  }

  private add({ topic, subscriber: { webId, address }}: BookedSubscription, added: number): void {
    for (const [ kind, of ] of [[ 'resource', topic ], [ 'caller', webId ], [ 'address', address ]]) {
      if (of !== undefined) {
        const key = `${kind} ${of}`;
        const count = (this.counts.get(key) ?? 0) + added;
        if (count > 0) {
          this.counts.set(key, count);
        } else {
          this.counts.delete(key);
        }
      }
    }
  }
}
