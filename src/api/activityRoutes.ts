import type { Operation } from '../http/Operation';
import { getReceipt, grantFilters, listAccessGrants } from './accessGrants';
import { activityParameters, listActivity } from './activity';
import { operation } from './operation';
import type { Services } from './Services';

/** Lists of access grants and activity, for the people concerned. */
export const activityOperations: readonly Operation<Services>[] = [
  operation({
    method: 'GET',
    path: '/v1/access-grants',
    caller: 'webid',
    answer: listAccessGrants,
    query: grantFilters,
    operationId: 'listAccessGrants',
    tag: 'Access grants',
    summary: 'List the access grants that one gave or was given',
    success: { 200: { description: 'A page of access grants, newest first.', content: {
      'application/json': 'AccessGrantList',
    }}},
    addition: 'Lets citizens see with whom they share what, and data users what they were given.',
  }),
  operation({
    method: 'GET',
    path: '/v1/access-grants/{id}/receipt',
    caller: 'webid',
    answer: getReceipt,
    operationId: 'getConsentReceipt',
    tag: 'Access grants',
    summary: 'A signed receipt of the consent that an access grant is',
    success: { 200: {
      description: 'A verifiable credential about the moment of the call, as ISO/IEC TS 27560 in the terms of DPV.',
      content: { 'application/ld+json': 'Credential' },
    }},
    errors: [ 404 ],
    addition: 'Lets both parties prove what was agreed.',
  }),
  operation({
    method: 'GET',
    path: '/v1/activity',
    caller: 'webid',
    answer: listActivity,
    query: activityParameters,
    operationId: 'listActivity',
    tag: 'Activity',
    summary: 'List what happened with what is the citizen\'s',
    success: { 200: { description: 'A page of activity, newest first.', content: {
      'application/json': 'ActivityList',
    }}},
    addition: 'Lets citizens see who read what, what was shared and ended, and which apps acted.',
  }),
];
