import { BoundedMap } from '../platform/BoundedMap';
import type { Clock } from '../platform/clock';
import type { Duty } from '../platform/Duty';
import { messageOf } from '../platform/errors';
import { KeptConnection } from '../platform/KeptConnection';
import type { Logger } from '../platform/logger';
import type { FeedEvent } from './Event';
import type { EventStore } from './EventStore';
import type { PushState, Subscription, SubscriptionStore } from './SubscriptionStore';
import type { PushOutcome, Webhooks } from './Webhooks';

/** Dependencies of an {@link EventPusher}. */
export interface EventPusherOptions {
  events: Pick<EventStore, 'list'>;
  subscriptions: SubscriptionStore;
  duty: Pick<Duty, 'take'>;
  webhooks: Pick<Webhooks, 'push'>;
  logger: Logger;
  now: Clock;
}

/** Maximum number of endpoints pushed to concurrently: this many slow or failing ones, and as many others. */
const atOnce = 128;
/** Bounds of the fetch of an {@link EventPusher}: each subscription has one push at a time, whatever its site. */
export const pushBounds = { perHost: 2 * atOnce, queuePerHost: 2 * atOnce, total: 2 * atOnce };
/** Duration of the last or current push, in milliseconds, from which an endpoint counts as slow. */
const slowMs = 1000;
/** Maximum endpoints that are remembered as slow, and the time for which they are, in milliseconds. */
const slowRemembered = 10_000;
const slowRememberedMs = 10 * 60_000;
/** Maximum number of events sent to one endpoint in a turn. */
const perTurn = 20;
/** Duration of a turn, in milliseconds, after which no further event is sent: a slow endpoint gets few. */
const maxTurnMs = 1000;
const firstPauseMs = 1000;
const maxPauseMs = 60 * 60_000;
/** Time after the first failed attempt until pushing stops, in milliseconds. */
const giveUpAfterMs = 24 * 60 * 60_000;

/** A turn of pushes to one endpoint. */
interface Turn {
  isFailing: boolean;
  /** Beginning of the current push. */
  since: Date;
  done: Promise<void>;
}

/**
 * Pushes events to the endpoints of subscriptions: to each in order, one at a time, and to many endpoints concurrently,
 * so that none waits for another. Only one process of all nodes runs it; another takes over when that one ends.
 *
 * An event may be pushed twice, with the same id, when a process ends before it has recorded the delivery.
 */
export class EventPusher {
  private readonly running = new Map<string, Turn>();
  /** Times of slow pushes, by the id of their subscription. Quick ones in between do not make an endpoint quick. */
  private readonly slow = new BoundedMap<string, Date>(slowRemembered);
  /** Time of the last successful run while this process had the duty. */
  private lookedAt?: Date;
  /** True when pushing has failed since then: events may be noticed without being due. */
  private hasFailed = false;

  public constructor(private readonly options: EventPusherOptions) {}

  /** Begins to push due events, without waiting for slow endpoints. Call it several times a second. */
  public async run(): Promise<void> {
    const { duty, now } = this.options;
    const lookedAt = this.hasFailed ? undefined : this.lookedAt;
    this.lookedAt = undefined;
    this.hasFailed = false;
    const at = now();
    if (await duty.take()) {
      await this.wake(at, lookedAt);
      await this.look(at);
      this.lookedAt = at;
    }
  }

  /** Waits until no push is running. */
  public async settle(): Promise<void> {
    await Promise.all([ ...this.running.values() ].map(async({ done }): Promise<void> => done));
  }

  /**
   * Makes subscriptions due again: another process, or this one before a failure, may have noticed events without
   * pushing them, and a clock that was ahead may have postponed subscriptions for longer than any pause.
   */
  private async wake(at: Date, lookedAt: Date | undefined): Promise<void> {
    const isSetBack = lookedAt !== undefined && at < lookedAt;
    if (!lookedAt || isSetBack) {
      await this.options.subscriptions.wake(at, isSetBack ? at : new Date(at.getTime() + maxPauseMs));
    }
  }

  private async look(at: Date): Promise<void> {
    const { subscriptions } = this.options;
    await subscriptions.notice(at);
    for (const isFailing of [ false, true ]) {
      // Subscriptions that cannot begin now must not hide others.
      const limit = atOnce + this.running.size + (isFailing ? 0 : this.slow.size);
      for (const subscription of await subscriptions.listDue(at, isFailing, limit)) {
        if (!this.running.has(subscription.id) && this.hasPlace(subscription, at)) {
          this.begin(subscription, at);
        }
      }
    }
  }

  /** Reserves places for other endpoints, however many are slow or failing. */
  private hasPlace(subscription: Subscription, at: Date): boolean {
    const held = [ ...this.running ].filter(([ id, { isFailing, since }]): boolean =>
      isFailing || this.wasSlow(id, at) || isSlow(since, at)).length;
    const isHeld = subscription.attempts > 0 || this.wasSlow(subscription.id, at);
    return this.running.size < 2 * atOnce && (isHeld ? held : this.running.size - held) < atOnce;
  }

  private wasSlow(id: string, at: Date): boolean {
    const slowAt = this.slow.get(id);
    return slowAt !== undefined && Math.abs(at.getTime() - slowAt.getTime()) < slowRememberedMs;
  }

  private begin(subscription: Subscription, at: Date): void {
    const turn: Turn = { isFailing: subscription.attempts > 0, since: at, done: Promise.resolve() };
    this.running.set(subscription.id, turn);
    turn.done = this.serve(subscription, turn);
  }

  private async serve(subscription: Subscription, turn: Turn): Promise<void> {
    // Kept for one turn only: the next turn looks up and checks the addresses of the endpoint again.
    const over = new KeptConnection();
    try {
      await this.pushTo(subscription, turn, over);
    } catch (error: unknown) {
      this.hasFailed = true;
      this.options.logger.error(`Events could not be pushed: ${messageOf(error)}`);
    } finally {
      await over.close();
      this.running.delete(subscription.id);
    }
  }

  private async pushTo(subscription: Subscription, turn: Turn, over: KeptConnection): Promise<void> {
    const { events, now, subscriptions } = this.options;
    const { dataUser, position, events: types } = subscription;
    const page = await events.list(dataUser, position, perTurn);
    if (position < page.forgotten) {
      // The data user must learn that events are missing.
      const lastFailure = 'events that were not pushed are no longer kept';
      await subscriptions.record(subscription, { ...subscription, status: 'FAILING', dueAt: undefined, lastFailure });
      return;
    }
    const begun = now();
    let state: PushState = subscription;
    for (const event of page.events) {
      if (now().getTime() - begun.getTime() >= maxTurnMs) {
        break;
      }
      const isWanted = types === undefined || types.includes(event.type);
      if (isWanted && !await this.mayPush(subscription)) {
        return;
      }
      state = isWanted ?
          this.after(event, await this.deliver(subscription, turn, event, over), state) :
          passed(event, state);
      if (state.position < event.number || state.status !== 'ACTIVE') {
        await subscriptions.record(subscription, state);
        return;
      }
    }
    const hasMore = state.position < page.last && page.events.length > 0;
    const isRecorded = await subscriptions.record(subscription, { ...state, dueAt: hasMore ? now() : undefined });
    // Events raised meanwhile may have been noticed before this was recorded.
    if (isRecorded && !hasMore && (await events.list(dataUser, state.position, 1)).events.length > 0) {
      await subscriptions.record(subscription, { ...state, dueAt: now() });
    }
  }

  /**
   * Checks, before each event, that no other process has taken over, and that nobody has removed, paused or replayed
   * the subscription since it was listed.
   */
  private async mayPush({ id, revision }: Subscription): Promise<boolean> {
    const { duty, subscriptions } = this.options;
    return await duty.take() && (await subscriptions.find(id))?.revision === revision;
  }

  private async deliver(
    subscription: Subscription,
    turn: Turn,
    event: FeedEvent,
    over: KeptConnection,
  ): Promise<PushOutcome> {
    const { now, webhooks } = this.options;
    turn.since = now();
    const outcome = await webhooks.push(subscription, event, over);
    const at = now();
    if (isSlow(turn.since, at)) {
      this.slow.set(subscription.id, at);
    }
    return outcome;
  }

  private after(event: FeedEvent, outcome: PushOutcome, state: PushState): PushState {
    const now = this.options.now();
    if (outcome === 'delivered') {
      return passed(event, state);
    }
    if (outcome === 'gone') {
      return { ...state, status: 'ENDED', dueAt: undefined, lastFailure: 'the endpoint answered 410' };
    }
    // A time in the future comes from a clock that was ahead.
    const failingSince = state.failingSince && state.failingSince < now ? state.failingSince : now;
    const attempts = state.attempts + 1;
    const failed = { ...state, attempts, failingSince, lastFailure: outcome.failure };
    if (now.getTime() - failingSince.getTime() >= giveUpAfterMs) {
      return { ...failed, status: 'FAILING', dueAt: undefined };
    }
    const pauseMs = Math.min(firstPauseMs * (2 ** (attempts - 1)), maxPauseMs);
    return { ...failed, dueAt: new Date(now.getTime() + pauseMs) };
  }
}

function isSlow(since: Date, now: Date): boolean {
  return now.getTime() - since.getTime() >= slowMs;
}

function passed({ number }: FeedEvent, state: PushState): PushState {
  return { ...state, position: number, attempts: 0, failingSince: undefined, lastFailure: undefined };
}
