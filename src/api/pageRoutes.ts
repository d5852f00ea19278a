import type { Operation } from '../http/Operation';
import { findDataUsers, getDataUserLogo } from './dataUsers';
import { getArtefact } from './artefacts';
import { operation } from './operation';
import { getCitizenPage } from './pages';
import type { Services } from './Services';

const addition = 'Serves the pages on which citizens decide.';
const image = { description: 'The picture.', content: { 'image/svg+xml': 'bytes', 'image/png': 'bytes' }} as const;

/** The citizen's pages, and the data user descriptions that they show. */
export const pageOperations: readonly Operation<Services>[] = [
  operation({
    method: 'GET',
    path: '/.app/**',
    caller: 'none',
    answer: getCitizenPage,
    anyQuery: true,
    representation: true,
    operationId: 'getCitizenPage',
    tag: 'Pages',
    summary: 'The citizen\'s pages, and their scripts, style sheets, settings and client ID document',
    success: { 200: {
      description: 'A page or a file.',
      content: {
        'text/html': 'bytes',
        'text/css': 'bytes',
        'text/javascript': 'bytes',
        'image/svg+xml': 'bytes',
        'image/png': 'bytes',
        'font/woff2': 'bytes',
      },
    }},
    errors: [ 404 ],
    addition,
  }),
  operation({
    method: 'GET',
    path: '/v1/data-users',
    caller: 'none',
    answer: findDataUsers,
    query: { webid: {
      schema: { type: 'string', format: 'iri', maxLength: 2048 },
      required: true,
      description: 'WebID of the data user, as its contracts have it.',
    }},
    representation: true,
    operationId: 'findDataUsers',
    tag: 'Data users',
    summary: 'Find the description of a data user',
    success: { 200: { description: 'A list of one or none.', content: { 'application/json': 'DataUserList' }}},
    addition,
  }),
  operation({
    method: 'GET',
    path: '/v1/data-users/{name}',
    caller: 'none',
    answer: getArtefact,
    representation: true,
    operationId: 'getDataUser',
    tag: 'Data users',
    summary: 'The description of a data user',
    success: {
      200: { description: 'The document.', content: { 'text/turtle': 'bytes', 'application/ld+json': 'bytes' }},
    },
    errors: [ 404, 406 ],
    addition,
  }),
  operation({
    method: 'GET',
    path: '/v1/data-users/{name}/logo',
    caller: 'none',
    answer: getDataUserLogo,
    representation: true,
    operationId: 'getDataUserLogo',
    tag: 'Data users',
    summary: 'The logo of a data user',
    success: { 200: image },
    errors: [ 404 ],
    addition,
  }),
];
