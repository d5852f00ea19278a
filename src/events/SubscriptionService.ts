import type { AuditLog } from '../audit/AuditLog';
import type { CallContext } from '../audit/CallContext';
import { ofCall } from '../audit/CallContext';
import type { Clock, NewId } from '../platform/clock';
import { podUrlOf } from '../platform/podUrl';
import type { Records } from '../platform/Records';
import type { WebId } from '../platform/webId';
import { AccessForbidden, EndpointTaken, SubscriptionNotFound, TooManySubscriptions } from '../problems';
import type { EventType } from './Event';
import type { EventFeed } from './EventFeed';
import type { EventStore } from './EventStore';
import type { Subscription, SubscriptionStore } from './SubscriptionStore';
import type { WebhookKeys } from './webhook';
import { writeSecret } from './webhook';
import type { Webhooks } from './Webhooks';

/** Knows WebIDs of this server that end. */
export interface Standings {
  /** Returns `DELETING` or `ERASED` for a WebID that ends or has ended. */
  standingOf: (webId: WebId, podUrl: string) => Promise<string | undefined>;
}

/** Stores that subscriptions need. */
export interface SubscriptionStores {
  audit: Pick<AuditLog, 'append'>;
  citizens: Standings;
  events: Pick<EventStore, 'list'>;
  subscriptions: SubscriptionStore;
}

/** Dependencies of a {@link SubscriptionService}. */
export interface SubscriptionServiceOptions {
  records: Records<SubscriptionStores>;
  webhooks: Pick<Webhooks, 'challenge'>;
  keys: Pick<WebhookKeys, 'secret'>;
  feed: Pick<EventFeed, 'locate' | 'requireKeptAfter'>;
  newId: NewId;
  now: Clock;
}

/**
 * Bounds of the fetch of challenges. Anybody can cause these fetches, so they do not share the capacity of pushes.
 */
export const challengeBounds = { perHost: 16, queuePerHost: 128, total: 256 };

/** Request for a subscription of a data user. */
export interface SubscriptionRequest {
  endpoint: string;
  events?: EventType[];
}

/** A new subscription, with its secret. */
export interface NewSubscription {
  subscription: Subscription;
  /** `whsec_…`, in the format of Standard Webhooks libraries. */
  secret: string;
}

const maxPerCaller = 10;

/** Manages the endpoints to which data users' events are pushed. */
export class SubscriptionService {
  public constructor(private readonly options: SubscriptionServiceOptions) {}

  /**
   * Subscribes an endpoint to future events, once it has proven by answering a challenge that it wants them.
   *
   * @throws EndpointNotProven, EndpointTaken, TooManySubscriptions
   * @throws AccessForbidden when the caller's WebID was deleted while the endpoint answered.
   */
  public async create(
    dataUser: WebId,
    { endpoint, events }: SubscriptionRequest,
    context: CallContext,
  ): Promise<NewSubscription> {
    const { keys, newId, now, records, webhooks } = this.options;
    await checkNumber(records.subscriptions, dataUser, endpoint);
    const { last } = await records.events.list(dataUser, 0, 1);
    const subscription: Subscription = {
      id: newId(),
      dataUser,
      endpoint,
      events,
      createdAt: now(),
      status: 'ACTIVE',
      position: last,
      dueAt: now(),
      attempts: 0,
      revision: 0,
    };
    await webhooks.challenge(subscription, newId());
    await records.transaction(async(stores): Promise<void> => {
      // Several may have been proven concurrently.
      await stores.subscriptions.lock(dataUser);
      await requireStanding(stores.citizens, dataUser);
      await checkNumber(stores.subscriptions, dataUser, endpoint);
      if (!await stores.subscriptions.insert(subscription)) {
        throw new EndpointTaken();
      }
      await this.note('subscription.made', stores, subscription, context);
    });
    return { subscription, secret: writeSecret(await keys.secret(subscription.id)) };
  }

  /** Lists the caller's subscriptions. */
  public async list(dataUser: WebId): Promise<Subscription[]> {
    return this.options.records.subscriptions.list(dataUser);
  }

  /** @throws SubscriptionNotFound when it is not the caller's. */
  public async get(id: string, dataUser: WebId): Promise<Subscription> {
    const found = await this.options.records.subscriptions.find(id);
    if (found?.dataUser !== dataUser) {
      throw new SubscriptionNotFound();
    }
    return found;
  }

  /** @throws SubscriptionNotFound when it is not the caller's. */
  public async remove(id: string, dataUser: WebId, context: CallContext): Promise<void> {
    const subscription = await this.get(id, dataUser);
    await this.options.records.transaction(async(stores): Promise<void> => {
      if (!await stores.subscriptions.remove(id)) {
        throw new SubscriptionNotFound();
      }
      await this.note('subscription.removed', stores, subscription, context);
    });
  }

  /**
   * Pushes again: failed events, or all from a position in the feed on. A subscription paused by the operator stays
   * paused.
   *
   * @param id - Id of the subscription.
   * @param dataUser - WebID of the caller.
   * @param after - Cursor of the feed; defaults to where pushing failed.
   *
   * @throws SubscriptionNotFound, ParameterInvalid
   * @throws EventsGone when events from there on are no longer kept.
   */
  public async replay(id: string, dataUser: WebId, after: string | undefined): Promise<Subscription> {
    const subscription = await this.get(id, dataUser);
    const { feed, now, records } = this.options;
    const position = after === undefined ? await this.stopped(subscription) : await feed.locate(dataUser, after);
    const { failingSince, lastFailure, ...rest } = subscription;
    const changed: Subscription = rest.status === 'PAUSED' ?
        { ...rest, position } :
        { ...rest, position, status: 'ACTIVE', attempts: 0, dueAt: now() };
    // The operator may have paused it meanwhile.
    return await records.subscriptions.change(changed) ? changed : this.replay(id, dataUser, after);
  }

  /** Returns the number of the event after which pushing stopped. */
  private async stopped({ dataUser, position }: Subscription): Promise<number> {
    await this.options.feed.requireKeptAfter(dataUser, position);
    return position;
  }

  private async note(
    type: 'subscription.made' | 'subscription.removed',
    { audit }: Pick<SubscriptionStores, 'audit'>,
    { dataUser, endpoint, id }: Subscription,
    context: CallContext,
  ): Promise<void> {
    await audit.append({
      type,
      at: this.options.now(),
      ...ofCall(context, { subscription: id }),
      personal: { webId: dataUser, endpoint },
    });
  }
}

async function requireStanding(citizens: Standings, webId: WebId): Promise<void> {
  const standing = await citizens.standingOf(webId, podUrlOf(new URL(webId)));
  if (standing === 'DELETING' || standing === 'ERASED') {
    throw new AccessForbidden('The WebID is being deleted.');
  }
}

async function checkNumber(subscriptions: SubscriptionStore, dataUser: WebId, endpoint: string): Promise<void> {
  const present = await subscriptions.list(dataUser);
  if (present.some((one): boolean => one.endpoint === endpoint)) {
    throw new EndpointTaken();
  }
  if (present.length >= maxPerCaller) {
    throw new TooManySubscriptions(`A caller can have at most ${maxPerCaller} subscriptions.`);
  }
}
