import { createPublicKey } from 'node:crypto';
import type { SubscriptionRequest } from '../events/SubscriptionService';
import type { Subscription } from '../events/SubscriptionStore';
import type { JsonAnswer } from '../http/Answer';
import { created, ok } from '../http/Answer';
import type { Call } from '../http/Operation';
import type { WebIdCaller } from '../tokens/Caller';
import type { Services } from './Services';

/** Subscribes an endpoint to the caller's events, which are pushed to it. */
export async function createSubscription(
  { body, caller, context, site }: Call<{ caller: WebIdCaller; body: SubscriptionRequest }>,
  { subscriptions }: Services,
): Promise<JsonAnswer> {
  const { secret, subscription } = await subscriptions.create(caller.webId, body, context);
  return created({ ...describe(subscription), secret }, `${site.baseUrl}v1/subscriptions/${subscription.id}`);
}

/** Lists the caller's subscriptions. */
export async function listSubscriptions(
  { caller }: Call<{ caller: WebIdCaller }>,
  { subscriptions }: Services,
): Promise<JsonAnswer> {
  return ok({ subscriptions: (await subscriptions.list(caller.webId)).map(describe) });
}

/** Returns a subscription of the caller. */
export async function getSubscription(
  { caller, params: { subscriptionId }}: Call<{ caller: WebIdCaller; params: 'subscriptionId' }>,
  { subscriptions }: Services,
): Promise<JsonAnswer> {
  return ok(describe(await subscriptions.get(subscriptionId, caller.webId)));
}

/** Ends a subscription. */
export async function removeSubscription(
  { caller, context, params: { subscriptionId }}: Call<{ caller: WebIdCaller; params: 'subscriptionId' }>,
  { subscriptions }: Services,
): Promise<JsonAnswer> {
  await subscriptions.remove(subscriptionId, caller.webId, context);
  return ok({ id: subscriptionId });
}

/** Pushes events again: those that failed, or those after a cursor. */
export async function replaySubscription(
  { body, caller, params: { subscriptionId }}: Call<{
    caller: WebIdCaller;
    params: 'subscriptionId';
    body: { after?: string } | undefined;
  }>,
  { subscriptions }: Services,
): Promise<JsonAnswer> {
  return ok(describe(await subscriptions.replay(subscriptionId, caller.webId, body?.after)));
}

/** Returns the public keys that verify pushed events. */
export async function getEventKeys(_call: Call, { webhookKeys }: Services): Promise<JsonAnswer> {
  const keys = (await webhookKeys.signing()).map((key): object =>
    ({ ...createPublicKey(key).export({ format: 'jwk' }), use: 'sig', alg: 'EdDSA' }));
  return ok({ keys });
}

function describe(subscription: Subscription): object {
  const { attempts, createdAt, endpoint, events, failingSince, id, lastFailure, status } = subscription;
  return {
    id,
    endpoint,
    ...events && { events },
    status,
    createdAt: createdAt.toISOString(),
    attempts,
    ...failingSince && { failingSince: failingSince.toISOString() },
    ...lastFailure !== undefined && { lastFailure },
  };
}
