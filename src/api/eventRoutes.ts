import type { Operation } from '../http/Operation';
import { listEvents } from './events';
import { operation } from './operation';
import type { Services } from './Services';
import {
  createSubscription,
  getEventKeys,
  getSubscription,
  listSubscriptions,
  removeSubscription,
  replaySubscription,
} from './subscriptions';

const addition = 'Tells data users what happens, so that they need not ask again and again.';

/** Operations on the events of data users. */
export const eventOperations: readonly Operation<Services>[] = [
  operation({
    method: 'GET',
    path: '/v1/events',
    caller: 'webid',
    answer: listEvents,
    query: {
      after: {
        schema: { type: 'string', minLength: 1, maxLength: 128 },
        description: 'Where to begin: taken from `next` of the answer before. Else with the earliest that is kept.',
      },
      limit: {
        schema: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
        description: 'Most events.',
      },
    },
    operationId: 'listEvents',
    tag: 'Events',
    summary: 'List the events for the caller, in the order of their causes',
    success: { 200: { description: 'Events.', content: { 'application/json': 'EventList' }}},
    errors: [ 410 ],
    addition,
  }),
  operation({
    method: 'GET',
    path: '/v1/events/keys',
    caller: 'none',
    answer: getEventKeys,
    operationId: 'getEventKeys',
    tag: 'Events',
    summary: 'The keys that pushed events are signed with',
    success: { 200: { description: 'The keys: the first signs.', content: { 'application/json': 'JwkSet' }}},
    addition,
  }),
  operation({
    method: 'POST',
    path: '/v1/subscriptions',
    caller: 'webid',
    answer: createSubscription,
    body: { schema: 'SubscriptionRequest' },
    operationId: 'createSubscription',
    tag: 'Events',
    summary: 'Have events pushed to an endpoint, which answers a challenge first',
    success: { 201: {
      description: 'The subscription.',
      content: { 'application/json': 'NewSubscription' },
      headers: [ 'Location' ],
    }},
    errors: [ 409 ],
    addition,
  }),
  operation({
    method: 'GET',
    path: '/v1/subscriptions',
    caller: 'webid',
    answer: listSubscriptions,
    operationId: 'listSubscriptions',
    tag: 'Events',
    summary: 'List the subscriptions of the caller',
    success: { 200: { description: 'All of them.', content: { 'application/json': 'SubscriptionList' }}},
    addition,
  }),
  operation({
    method: 'GET',
    path: '/v1/subscriptions/{subscriptionId}',
    caller: 'webid',
    answer: getSubscription,
    operationId: 'getSubscription',
    tag: 'Events',
    summary: 'Get a subscription of the caller',
    success: { 200: { description: 'The subscription.', content: { 'application/json': 'Subscription' }}},
    errors: [ 404 ],
    addition,
  }),
  operation({
    method: 'DELETE',
    path: '/v1/subscriptions/{subscriptionId}',
    caller: 'webid',
    answer: removeSubscription,
    operationId: 'removeSubscription',
    tag: 'Events',
    summary: 'End a subscription',
    success: { 200: { description: 'It has ended.', content: { 'application/json': { type: 'object' }}}},
    errors: [ 404 ],
    addition,
  }),
  operation({
    method: 'POST',
    path: '/v1/subscriptions/{subscriptionId}/replay',
    caller: 'webid',
    answer: replaySubscription,
    body: { schema: 'ReplayRequest', optional: true },
    operationId: 'replaySubscription',
    tag: 'Events',
    summary: 'Push again what failed, or what follows a cursor of the feed',
    success: { 200: { description: 'The subscription.', content: { 'application/json': 'Subscription' }}},
    errors: [ 404, 410 ],
    addition,
  }),
];
