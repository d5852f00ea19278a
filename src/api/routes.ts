import type { Operation, Parameter } from '../http/Operation';
import { accessOperations } from './accessRoutes';
import { activityOperations } from './activityRoutes';
import { appOperations } from './appRoutes';
import { getBuilding } from './buildings';
import { getContract, listContracts } from './contracts';
import { listDataCopies, removeDataCopy, reportDataCopy } from './dataCopies';
import { descriptionOperations } from './descriptionRoutes';
import { eventOperations } from './eventRoutes';
import { revokeGrant } from './grants';
import { operation } from './operation';
import { pageOperations } from './pageRoutes';
import type { Services } from './Services';
import { pageParameters } from './paging';
import { listPersonalData, normaliseShareRequest, sharePersonalData } from './personalData';
import { publishedOperations } from './publishedRoutes';
import { listPodResources, readPodResource, readResource, summarisePodResource } from './resources';
import { deletionReason, ref, schemas } from './schemas';
import { umaOperations } from './umaRoutes';
import { verifyBusinessKey } from './verifications';
import { createWebId, deleteWebId, getWebId } from './webIds';

const ld = 'application/ld+json';
const uri = { type: 'string', format: 'uri', maxLength: 2048 };
const iri = { ...uri, format: 'iri' };
const bytes = { description: 'The content.', content: { '*/*': 'bytes', 'text/html': 'bytes' }} as const;
// The type of a JSON schema says no more about its properties.
const deletion = schemas.DataCopyDeletion.properties as Record<string, Parameter['schema']>;

const verified = {
  schema: { type: 'string', pattern: '^(?:[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|[01])$' },
  description: 'Verify the resource at its origin first: 404 when it is not valid there. true, false, 1 or 0.',
} as const satisfies Parameter;

/** Operations on the WebIDs and pods of citizens. */
const webIdsOperations: readonly Operation<Services>[] = [
  operation({
    method: 'GET',
    path: '/v1/webids',
    caller: 'citizen',
    answer: getWebId,
    operationId: 'getWebId',
    tag: 'WebIds',
    summary: 'Get the WebId of a citizen',
    success: {
      200: {
        description: 'The citizen\'s WebId was found.',
        content: { 'application/json': 'WebId' },
        headers: [ 'Link' ],
      },
    },
    errors: [ 404 ],
  }),
  operation({
    method: 'PUT',
    path: '/v1/webids',
    caller: 'citizen',
    answer: createWebId,
    mayCreate: true,
    operationId: 'createWebId',
    tag: 'WebIds',
    summary: 'Create the WebId and pod of a citizen, or get the existing ones',
    success: {
      200: {
        description: 'An existing WebId was found, or linked with its pod on this server.',
        content: { 'application/json': 'WebId' },
        headers: [ 'Link' ],
      },
      201: {
        description: 'A new WebId and its pod were created, or a pod for a WebId that was linked.',
        content: { 'application/json': 'WebId' },
        headers: [ 'Link' ],
      },
    },
  }),
  operation({
    method: 'DELETE',
    path: '/v1/webids',
    caller: 'citizen',
    answer: deleteWebId,
    operationId: 'deleteWebId',
    tag: 'WebIds',
    summary: 'Delete the WebId and pod of a citizen',
    success: {
      200: { description: 'The deleted WebId.', content: { 'application/json': 'WebId' }},
      201: { description: 'Declared, but not answered by this server.', content: { 'application/json': 'WebId' }},
    },
    addedErrors: [ 404 ],
  }),
];

/** Contracts. */
const contractsOperations: readonly Operation<Services>[] = [
  operation({
    method: 'GET',
    path: '/v1/contracts',
    caller: 'none',
    answer: listContracts,
    query: pageParameters,
    operationId: 'listContracts',
    tag: 'Contracts',
    summary: 'List the contracts under which citizens can share now',
    success: { 200: { description: 'A page of contracts, by id.', content: { 'application/json': 'ContractList' }}},
    addition: 'Lets apps find contracts without being told their ids.',
    representation: true,
  }),
  operation({
    method: 'GET',
    path: '/v1/contracts/{contractId}',
    caller: 'none',
    answer: getContract,
    problemMediaType: ld,
    operationId: 'getContract',
    tag: 'Contracts',
    summary: 'Read a data-sharing contract',
    success: { 200: { description: 'The contract.', content: { [ld]: 'Contract' }}},
    errors: [ 404 ],
    representation: true,
  }),
];

/** Lists the data that a contract covers, and shares it. */
const personalDataOperations: readonly Operation<Services>[] = [
  operation({
    method: 'GET',
    path: '/v1/contracts/{contractId}/data',
    caller: 'webid',
    answer: listPersonalData,
    operationId: 'listPersonalData',
    tag: 'Contracts',
    summary: 'List the citizen\'s data that a contract covers',
    success: { 200: { description: 'The citizen\'s data.', content: { 'application/json': 'PersonalDataResponse' }}},
    errors: [ 404 ],
  }),
  operation({
    method: 'POST',
    path: '/v1/contracts/{contractId}/data',
    caller: 'webid',
    answer: sharePersonalData,
    body: {
      schema: 'ShareRequest',
      normalise: normaliseShareRequest,
      documentedAs: {
        anyOf: [
          ref('ShareRequest'),
          // The type of a JSON schema says no more about its properties.
          { ...(schemas.ShareRequest.properties as Record<string, object>).dataValues },
          { type: 'string', description: 'An id alone, or the JSON text of either.' },
          ref('PersonalDataValue'),
          { type: 'array', items: ref('PersonalDataValue') },
        ],
      },
    },
    operationId: 'sharePersonalData',
    tag: 'Contracts',
    summary: 'Share chosen data under a contract',
    success: {
      200: {
        description: 'The data is stored in the citizen\'s pod, and the data user has access to it.',
        content: { 'application/json': { type: 'array', items: ref('SharedPersonalData') }},
      },
    },
    errors: [ 404 ],
    addedErrors: [ 503 ],
  }),
];

/** Operations that read pod resources with access grants, and revoke the grants that sharing made. */
const resourcesOperations: readonly Operation<Services>[] = [
  operation({
    method: 'GET',
    path: '/v1/resources',
    caller: 'webid',
    answer: readResource,
    representation: true,
    query: {
      resource: { schema: { type: 'string', minLength: 1 }, required: true, description: 'Resource URI.' },
      verified,
    },
    headers: { 'X-Access-Grant': { schema: uri, required: true, description: 'URI of the access grant.' }},
    operationId: 'readResource',
    tag: 'Resources',
    summary: 'Read a pod resource with an access grant',
    success: { 200: bytes },
    errors: [ 404 ],
    addedErrors: [ 503 ],
  }),
  operation({
    method: 'GET',
    path: '/v1/pods/{podId}/resources',
    caller: 'webid',
    answer: listPodResources,
    query: {
      type: { schema: iri, description: 'Only resources of this data type.' },
      all: {
        schema: { type: 'boolean', default: false },
        description: 'Also resources that no contract made and that access grants name: after the shared ones, by URI.',
      },
      ...pageParameters,
    },
    operationId: 'listPodResources',
    tag: 'Resources',
    summary: 'List the shared resources of a pod',
    success: { 200: { description: 'A page of resources.', content: { 'application/json': 'ResourceList' }}},
  }),
  operation({
    method: 'GET',
    path: '/v1/pods/{podId}/resources/{resourceId}',
    caller: 'webid',
    answer: readPodResource,
    representation: true,
    query: { verified },
    operationId: 'readPodResource',
    tag: 'Resources',
    summary: 'Read a resource by its place: shared data by its id, others by ~ and the base64url of their path',
    success: { 200: bytes },
    errors: [ 404 ],
    addedErrors: [ 503 ],
  }),
  operation({
    method: 'GET',
    path: '/v1/pods/{podId}/resources/{resourceId}/summary',
    caller: 'webid',
    answer: summarisePodResource,
    operationId: 'summarisePodResource',
    tag: 'Resources',
    summary: 'Shared data in words, for its owner',
    success: { 200: {
      description: 'The summary, by the data type.',
      content: { 'application/json': 'ResourceSummary' },
    }},
    errors: [ 404 ],
    addition: 'Lets apps show citizens what they shared as it was shown to them before.',
  }),
  operation({
    method: 'DELETE',
    path: '/v1/pods/{podId}/resources/{resourceId}/access-grants/{accessGrantId}',
    caller: 'webid',
    answer: revokeGrant,
    operationId: 'revokeAccessGrant',
    tag: 'Resources',
    summary: 'Revoke an access grant',
    success: { 200: { description: 'The grant, revoked.', content: { 'application/json': 'AccessGrantRecord' }}},
    errors: [ 404 ],
  }),
];

/** The building register. */
const buildingsOperations: readonly Operation<Services>[] = [
  operation({
    method: 'GET',
    path: '/v1/gebouwen/**',
    caller: 'none',
    answer: getBuilding,
    representation: true,
    operationId: 'getBuilding',
    tag: 'Buildings',
    summary: 'Read a document of the building register',
    success: { 200: { description: 'The document.', content: { 'application/json': 'Building', '*/*': 'bytes' }}},
    errors: [ 404, 410, 503 ],
  }),
];

/** Verification of business keys. */
const verificationOperations: readonly Operation<Services>[] = [
  operation({
    method: 'POST',
    path: '/v1/verifications/business-key',
    caller: 'webid',
    answer: verifyBusinessKey,
    body: { schema: 'BusinessKeyRequest' },
    tokenRefusedAs403: true,
    operationId: 'verifyBusinessKey',
    tag: 'Verification',
    summary: 'Verify that a WebId belongs to a business key',
    success: { 200: { description: 'The result.', content: { 'application/json': 'BusinessKeyResult' }}},
  }),
];

/** Operations on the copies that data users keep. */
const dataCopiesOperations: readonly Operation<Services>[] = [
  operation({
    method: 'POST',
    path: '/v1/data-copies',
    caller: 'webid',
    answer: reportDataCopy,
    body: { schema: 'DataCopyReport' },
    operationId: 'reportDataCopy',
    tag: 'Data copies',
    summary: 'Report that a resource is stored as a local copy',
    success: {
      200: { description: 'This copy was reported before.', content: { 'application/json': 'DataCopy' }},
      201: { description: 'The entry.', content: { 'application/json': 'DataCopy' }},
    },
  }),
  operation({
    method: 'DELETE',
    path: '/v1/data-copies',
    caller: 'webid',
    answer: removeDataCopy,
    body: { schema: 'DataCopyDeletion', optional: true },
    query: {
      resource: { schema: deletion.resource, description: 'Instead of the body.' },
      purpose: { schema: deletion.purpose, description: 'Instead of the body.' },
      reason: { schema: deletionReason, description: 'Instead of the body.' },
    },
    operationId: 'removeDataCopy',
    tag: 'Data copies',
    summary: 'Report that a resource is no longer stored',
    success: { 200: { description: 'The entry.', content: { 'application/json': 'DataCopy' }}},
    errors: [ 404 ],
  }),
  operation({
    method: 'GET',
    path: '/v1/data-copies',
    caller: 'webid',
    answer: listDataCopies,
    query: {
      status: { schema: schemas.DataCopyStatus, description: 'Only copies in this state.' },
      ...pageParameters,
    },
    operationId: 'listDataCopies',
    tag: 'Data copies',
    summary: 'List one\'s copies, or copies of one\'s resources',
    success: { 200: { description: 'A page of entries.', content: { 'application/json': 'DataCopyList' }}},
    addition: 'Lets data users and citizens see what was reported.',
  }),
];

/** The operations that a server can leave out, by group name. */
export const groups = {
  webIds: [ ...webIdsOperations, ...appOperations ],
  contracts: contractsOperations,
  personalData: personalDataOperations,
  resources: resourcesOperations,
  buildings: buildingsOperations,
  verification: verificationOperations,
  dataCopies: dataCopiesOperations,
  events: eventOperations,
  uma: umaOperations,
  accessGrants: accessOperations,
  activity: activityOperations,
} as const satisfies Record<string, readonly Operation<Services>[]>;

/** Operations of every server: its descriptions, and the documents that its documents refer to. */
export const standingOperations: readonly Operation<Services>[] = [
  ...publishedOperations,
  ...descriptionOperations,
  ...pageOperations,
];

/**
 * Every operation of this service: path, caller, input and handler.
 *
 * Operations of the interface come first, then those for clients of access grants, then published documents.
 */
export const operations: readonly Operation<Services>[] = [ ...Object.values(groups).flat(), ...standingOperations ];
