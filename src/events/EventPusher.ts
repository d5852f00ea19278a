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

/** Endpoints that are pushed to at once: so many that are slow or failing, and so many others. */
const atOnce = 128;
/** Bounds of the fetch of an {@link EventPusher}: each subscription has one push at a time, whatever its site. */
export const pushBounds = { perHost: 2 * atOnce, queuePerHost: 2 * atOnce, total: 2 * atOnce };
/** An endpoint that took so long for its last push, or that the push under way has taken, is slow. */
const slowMs = 1000;
const slowRemembered = 10_000;
/** Events that one endpoint is sent before others have their turn. */
const perTurn = 20;
/** No further one is sent in a turn that took so long: a slow endpoint has few. */
const longestTurnMs = 1000;
const firstPauseMs = 1000;
const longestPauseMs = 60 * 60_000;
/** Attempts go on for so long after the first one that failed. */
const givenUpMs = 24 * 60 * 60_000;

/** An endpoint that is being pushed to. */
interface Turn {
  isFailing: boolean;
  /** Beginning of the push under way. */
  since: Date;
  done: Promise<void>;
}

/**
 * Pushes events to the endpoints of subscriptions: to each in their order, one at a time, and to many endpoints at
 * once, so that none waits for another. One process of all nodes is at it; another takes over when it is gone.
 *
 * An event may be pushed twice, with the same id: when a process ended before it recorded that it was delivered.
 */
export class EventPusher {
  private readonly running = new Map<string, Turn>();
  /** Ids of subscriptions whose last push was slow. */
  private readonly slow = new BoundedMap<string, true>(slowRemembered);
  /** Moment of the last look that did not fail while this process had the duty. */
  private lookedAt?: Date;
  /** True when pushing failed since then: events may be noticed, and not due. */
  private hasFailed = false;

  public constructor(private readonly options: EventPusherOptions) {}

  /** Begins to push due events. To be called several times a second: it does not wait for slow endpoints. */
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

  /** Waits until nothing is being pushed. */
  public async settle(): Promise<void> {
    await Promise.all([ ...this.running.values() ].map(async({ done }): Promise<void> => done));
  }

  /**
   * Another process, or this one before a failure, may have noticed events without pushing them; and a clock that was
   * ahead may have put off subscriptions for longer than any pause.
   */
  private async wake(at: Date, lookedAt: Date | undefined): Promise<void> {
    const isSetBack = lookedAt !== undefined && at < lookedAt;
    if (!lookedAt || isSetBack) {
      await this.options.subscriptions.wake(at, isSetBack ? at : new Date(at.getTime() + longestPauseMs));
    }
  }

  private async look(at: Date): Promise<void> {
    const { subscriptions } = this.options;
    await subscriptions.notice(at);
    for (const isFailing of [ false, true ]) {
      // Those that cannot begin now do not hide others.
      const limit = atOnce + this.running.size + (isFailing ? 0 : this.slow.size);
      for (const subscription of await subscriptions.listDue(at, isFailing, limit)) {
        if (!this.running.has(subscription.id) && this.hasPlace(subscription, at)) {
          this.begin(subscription, at);
        }
      }
    }
  }

  /** Endpoints that are slow or failing leave places to others, however many they are. */
  private hasPlace(subscription: Subscription, at: Date): boolean {
    const held = [ ...this.running ].filter(([ id, { isFailing, since }]): boolean =>
      isFailing || this.slow.get(id) === true || isSlow(since, at)).length;
    const isHeld = subscription.attempts > 0 || this.slow.get(subscription.id) === true;
    return this.running.size < 2 * atOnce && (isHeld ? held : this.running.size - held) < atOnce;
  }

  private begin(subscription: Subscription, at: Date): void {
    const turn: Turn = { isFailing: subscription.attempts > 0, since: at, done: Promise.resolve() };
    this.running.set(subscription.id, turn);
    turn.done = this.serve(subscription, turn);
  }

  private async serve(subscription: Subscription, turn: Turn): Promise<void> {
    // Of one turn: the addresses of the endpoint are looked up and checked again at the next one.
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
    const { duty, events, now, subscriptions } = this.options;
    const { dataUser, position, events: types } = subscription;
    const page = await events.list(dataUser, position, perTurn);
    const begun = now();
    let state: PushState = subscription;
    for (const event of page.events) {
      if (now().getTime() - begun.getTime() >= longestTurnMs) {
        break;
      }
      const isWanted = types === undefined || types.includes(event.type);
      if (isWanted && !await duty.take()) {
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

  private async deliver(
    subscription: Subscription,
    turn: Turn,
    event: FeedEvent,
    over: KeptConnection,
  ): Promise<PushOutcome> {
    const { now, webhooks } = this.options;
    turn.since = now();
    const outcome = await webhooks.push(subscription, event, over);
    if (isSlow(turn.since, now())) {
      this.slow.set(subscription.id, true);
    } else {
      this.slow.delete(subscription.id);
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
    // A moment to come is one of a clock that was ahead.
    const failingSince = state.failingSince && state.failingSince < now ? state.failingSince : now;
    const attempts = state.attempts + 1;
    const failed = { ...state, attempts, failingSince, lastFailure: outcome.failure };
    if (now.getTime() - failingSince.getTime() >= givenUpMs) {
      return { ...failed, status: 'FAILING', dueAt: undefined };
    }
    const pauseMs = Math.min(firstPauseMs * (2 ** (attempts - 1)), longestPauseMs);
    return { ...failed, dueAt: new Date(now.getTime() + pauseMs) };
  }
}

function isSlow(since: Date, now: Date): boolean {
  return now.getTime() - since.getTime() >= slowMs;
}

function passed({ number }: FeedEvent, state: PushState): PushState {
  return { ...state, position: number, attempts: 0, failingSince: undefined, lastFailure: undefined };
}
