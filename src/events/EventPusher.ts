import type { Clock } from '../platform/clock';
import type { Duty } from '../platform/Duty';
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

/** Endpoints that are pushed to at once. */
const atOnce = 128;
/** Events that one endpoint is sent before others have their turn. */
const perTurn = 20;
/** No further one is sent in a turn that took so long: a slow endpoint has few. */
const longestTurnMs = 1000;
const firstPauseMs = 1000;
const longestPauseMs = 60 * 60_000;
/** Attempts go on for so long after the first one that failed. */
const givenUpMs = 24 * 60 * 60_000;

/**
 * Pushes events to the endpoints of subscriptions: to each in their order, one at a time, and to many endpoints at
 * once, so that none waits for another. One process of all nodes is at it; another takes over when it is gone.
 *
 * An event may be pushed twice, with the same id: when a process ended before it recorded that it was delivered.
 */
export class EventPusher {
  private readonly running = new Map<string, Promise<void>>();
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
    await Promise.all(this.running.values());
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
    const due = await subscriptions.listDue(at, atOnce);
    for (const subscription of due.filter(({ id }): boolean => !this.running.has(id))) {
      if (this.running.size < atOnce) {
        this.running.set(subscription.id, this.serve(subscription));
      }
    }
  }

  private async serve(subscription: Subscription): Promise<void> {
    // Of one turn: the addresses of the endpoint are looked up and checked again at the next one.
    const over = new KeptConnection();
    try {
      await this.pushTo(subscription, over);
    } catch (error: unknown) {
      this.hasFailed = true;
      this.options.logger.error(`Events could not be pushed: ${(error as Error).message}`);
    } finally {
      await over.close();
      this.running.delete(subscription.id);
    }
  }

  private async pushTo(subscription: Subscription, over: KeptConnection): Promise<void> {
    const { duty, events, now, subscriptions, webhooks } = this.options;
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
          this.after(event, await webhooks.push(subscription, event, over), state) :
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

function passed({ number }: FeedEvent, state: PushState): PushState {
  return { ...state, position: number, attempts: 0, failingSince: undefined, lastFailure: undefined };
}
