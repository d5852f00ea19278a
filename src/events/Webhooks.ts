import { randomBytes } from 'node:crypto';
import type { Clock } from '../platform/clock';
import { eventPushes } from '../platform/diagnostics';
import { messageOf } from '../platform/errors';
import { isFetchError } from '../platform/fetchErrors';
import type { Fetched, GuardedFetch } from '../platform/guardedFetch';
import type { KeptConnection } from '../platform/KeptConnection';
import { parseObject } from '../platform/parseJson';
import { EndpointNotProven } from '../problems';
import { cloudEvent } from './Event';
import type { CloudEvent, FeedEvent } from './Event';
import type { Subscription } from './SubscriptionStore';
import type { WebhookKeys } from './webhook';
import { webhookHeaders } from './webhook';

/** Dependencies of {@link Webhooks}. */
export interface WebhooksOptions {
  fetch: GuardedFetch;
  keys: WebhookKeys;
  /** URL of the feed. */
  source: string;
  now: Clock;
}

/** The parts of a subscription that concern its endpoint. */
export type Endpoint = Pick<Subscription, 'endpoint' | 'id'>;

/** Outcome of a push; `gone` when the endpoint refuses further events. */
export type PushOutcome = 'delivered' | 'gone' | { failure: string };

/** Sends signed events to the endpoints of subscriptions, in the format of Standard Webhooks. */
export class Webhooks {
  public constructor(private readonly options: WebhooksOptions) {}

  /**
   * Sends one signed event to an endpoint. Does not follow redirects, and stores nothing of a response but its status.
   *
   * @param subscription - Names the endpoint.
   * @param event - The event.
   * @param over - Connection shared by consecutive events for that endpoint.
   *
   * @returns Status and body of the response, or why there is none.
   */
  public async send(
    subscription: Endpoint,
    event: CloudEvent,
    over?: KeptConnection,
  ): Promise<Pick<Fetched, 'body' | 'status'> | { failure: string }> {
    const { fetch, keys, now } = this.options;
    const body = JSON.stringify(event);
    const signing = { privateKeys: await keys.signing(), secret: await keys.secret(subscription.id) };
    const headers = webhookHeaders(event.id, body, signing, now());
    try {
      const send = { method: 'POST', headers, body, over } as const;
      return await fetch(subscription.endpoint, { accept: 'application/json', send });
    } catch (error: unknown) {
      if (isFetchError(error)) {
        return { failure: messageOf(error) };
      }
      throw error;
    }
  }

  /** Pushes an event of the feed once. */
  public async push(subscription: Endpoint, event: FeedEvent, over: KeptConnection): Promise<PushOutcome> {
    const { now, source } = this.options;
    const answer = await this.send(subscription, cloudEvent(event, source), over);
    const outcome = 'failure' in answer ? answer : outcomeOf(answer.status);
    const lagSeconds = Math.max(0, (now().getTime() - event.at.getTime()) / 1000);
    eventPushes.publish({ outcome: outcome === 'delivered' ? 'delivered' : 'failed', lagSeconds });
    return outcome;
  }

  /**
   * Makes an endpoint prove that it wants events: it must repeat a random text.
   *
   * @param subscription - Names the endpoint.
   * @param id - Id of this challenge.
   *
   * @throws EndpointNotProven
   */
  public async challenge(subscription: Endpoint, id: string): Promise<void> {
    const { now, source } = this.options;
    const challenge = randomBytes(24).toString('base64url');
    const answer = await this.send(subscription, {
      specversion: '1.0',
      id,
      source,
      type: 'SubscriptionChallenge',
      time: now().toISOString(),
      datacontenttype: 'application/json',
      data: { challenge },
    });
    if ('failure' in answer) {
      throw new EndpointNotProven(`The endpoint cannot be used: ${answer.failure}.`);
    }
    if (answer.status !== 200 || !echoes(answer.body, challenge)) {
      throw new EndpointNotProven('The endpoint did not answer the challenge.');
    }
  }
}

function outcomeOf(status: number): PushOutcome {
  if (status === 410) {
    return 'gone';
  }
  return status >= 200 && status < 300 ? 'delivered' : { failure: `the endpoint answered ${status}` };
}

function echoes(body: Buffer, challenge: string): boolean {
  return parseObject(body)?.challenge === challenge;
}
