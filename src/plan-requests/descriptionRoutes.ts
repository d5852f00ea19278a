import { getDocsPage, getOpenApi } from '../api/docs';
import type { Answer } from '../http/Answer';
import type { Method, Operation } from '../http/Operation';
import { VersionEnded } from '../problems';
import type { PlanServices } from './operation';

const methods: readonly Method[] = [ 'GET', 'POST', 'PUT', 'DELETE' ];
/** Versions that have ended, with the reason. */
const ended = {
  v1: 'Version 1 ended on 2019-12-31. Use',
  v2: 'Version 2 ended in 2024 with its way of authentication. Use',
} as const;

/** The OpenAPI document of plan requests and its HTML page, below `base`. */
export function descriptionOperations(base: string): readonly Operation<PlanServices>[] {
  return [
    {
      method: 'GET',
      path: `${base}/openapi.json`,
      caller: 'none',
      answer: getOpenApi,
      representation: true,
      operationId: 'getPlanOpenApi',
      tag: 'Description',
      summary: 'This document',
      success: { 200: { description: 'The document.', content: { 'application/json': 'OpenApi' }}},
      addition: 'Describes the interface.',
    },
    {
      method: 'GET',
      path: `${base}/docs`,
      caller: 'none',
      answer: (): Answer => getDocsPage(`${base}/openapi.json`, 'Plan requests: interface'),
      representation: true,
      operationId: 'getPlanDocs',
      tag: 'Description',
      summary: 'A page that shows this document',
      success: { 200: { description: 'The page.', content: { 'text/html': 'bytes' }}},
      addition: 'Describes the interface.',
    },
  ];
}

/** Responds to every path of earlier versions with 410, naming the present one. */
export function endedVersions(service: string): readonly Operation<PlanServices>[] {
  return Object.entries(ended).flatMap(([ version, reason ]): Operation<PlanServices>[] =>
    [ '', '/**' ].flatMap((rest): Operation<PlanServices>[] => methods.map((method): Operation<PlanServices> => ({
      method,
      path: `/ws/${service}/${version}${rest}`,
      caller: 'none',
      anyQuery: true,
      answer: (): never => {
        throw new VersionEnded(`${reason} /ws/${service}/v3.`);
      },
      operationId: `${method.toLowerCase()}Ended${version}${rest}`,
      tag: 'Ended',
      summary: 'Ended',
      success: {},
    }))));
}
