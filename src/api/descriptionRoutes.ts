import type { Answer } from '../http/Answer';
import type { Operation } from '../http/Operation';
import { getDocsAsset, getDocsPage, getIndex, getOpenApi, getProblemPage } from './docs';
import { operation } from './operation';
import type { Services } from './Services';

const addition = 'Describes the interface.';

/** Operations that describe the service itself. */
export const descriptionOperations: readonly Operation<Services>[] = [
  operation({
    method: 'GET',
    path: '/v1',
    caller: 'none',
    answer: getIndex,
    representation: true,
    operationId: 'getIndex',
    tag: 'Description',
    summary: 'Where to begin: lists, descriptions and what is well known',
    success: {
      200: { description: 'The index.', content: { 'application/json': 'ServiceIndex' }, headers: [ 'Link' ]},
    },
    addition,
  }),
  operation({
    method: 'GET',
    path: '/v1/openapi.json',
    caller: 'none',
    answer: getOpenApi,
    representation: true,
    operationId: 'getOpenApi',
    tag: 'Description',
    summary: 'This document',
    success: { 200: { description: 'The document.', content: { 'application/json': 'OpenApi' }}},
    addition,
  }),
  operation({
    method: 'GET',
    path: '/v1/docs',
    caller: 'none',
    answer: (): Answer => getDocsPage('/v1/openapi.json', 'Citizen data sharing: interface'),
    representation: true,
    operationId: 'getDocs',
    tag: 'Description',
    summary: 'A page that shows this document',
    success: { 200: { description: 'The page.', content: { 'text/html': 'bytes' }}},
    addition,
  }),
  operation({
    method: 'GET',
    path: '/v1/docs/{asset}',
    caller: 'none',
    answer: getDocsAsset,
    representation: true,
    operationId: 'getDocsAsset',
    tag: 'Description',
    summary: 'A script or style sheet of that page',
    success: { 200: { description: 'The file.', content: { 'text/css': 'bytes', 'text/javascript': 'bytes' }}},
    errors: [ 404 ],
    addition,
  }),
  operation({
    method: 'GET',
    path: '/v1/problems/{name}',
    caller: 'none',
    answer: getProblemPage,
    representation: true,
    operationId: 'getProblem',
    tag: 'Description',
    summary: 'What a problem type means',
    success: { 200: { description: 'The page.', content: { 'text/html': 'bytes' }}},
    errors: [ 404 ],
    addition,
  }),
];
