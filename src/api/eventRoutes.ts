/* eslint-disable @typescript-eslint/naming-convention -- names on the wire */
import type { Operation } from '../http/Operation';
import { listEvents } from './events';
import { operation } from './operation';
import type { Services } from './Services';

const addition = 'Tells data users what happens, so that they need not ask again and again.';

/** Events of data users. */
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
];
