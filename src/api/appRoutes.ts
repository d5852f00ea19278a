import type { Operation } from '../http/Operation';
import { listApps, logOutApp } from './apps';
import { operation } from './operation';
import type { Services } from './Services';

const addition = 'Lets people see which apps may act for them, and log those out.';

/** Operations on the apps that a caller has logged in to. */
export const appOperations: readonly Operation<Services>[] = [
  operation({
    method: 'GET',
    path: '/v1/apps',
    caller: 'webid',
    answer: listApps,
    operationId: 'listApps',
    tag: 'WebIds',
    summary: 'List the apps that may act as the caller, by log-ins at this server',
    success: { 200: { description: 'All of them: those used last come first.', content: {
      'application/json': 'AppList',
    }}},
    addition,
  }),
  operation({
    method: 'DELETE',
    path: '/v1/apps/{appId}',
    caller: 'webid',
    answer: logOutApp,
    operationId: 'logOutApp',
    tag: 'WebIds',
    summary: 'Log an app out: its tokens are refused from now on',
    success: { 200: { description: 'It is logged out.', content: { 'application/json': { type: 'object' }}}},
    errors: [ 404 ],
    addition,
  }),
];
