/* eslint-disable @typescript-eslint/naming-convention -- names on the wire */
import type { Operation } from '../http/Operation';
import {
  changeCredentialStatus,
  credentialFilters,
  deriveCredentials,
  getVcConfiguration,
  issueCredential,
  presentCredentials,
  queryCredentials,
  verifyCredential,
} from './access';
import { operation } from './operation';
import type { Services } from './Services';

const ld = 'application/ld+json';
const tag = 'Access grants';
const addition = 'Serves clients of access grants.';
const configuration = { description: 'Where the services are.', content: { [ld]: 'VcConfiguration' }} as const;

/** What clients of access grants call: requests, grants and denials made, found, verified and revoked. */
export const accessOperations: readonly Operation<Services>[] = [
  operation({
    method: 'GET',
    path: '/.well-known/vc-configuration',
    caller: 'none',
    answer: getVcConfiguration,
    representation: true,
    problemMediaType: 'application/problem+json',
    operationId: 'getVcConfiguration',
    tag,
    summary: 'The services of the access-grant issuer',
    success: { 200: configuration },
    addition,
  }),
  operation({
    method: 'GET',
    path: '/.access/.well-known/vc-configuration',
    caller: 'none',
    answer: getVcConfiguration,
    representation: true,
    operationId: 'getIssuerVcConfiguration',
    tag,
    summary: 'The same, under the issuer',
    success: { 200: configuration },
    addition,
  }),
  operation({
    method: 'POST',
    path: '/.access/issue',
    caller: 'webid',
    answer: issueCredential,
    body: { schema: 'IssueRequest' },
    operationId: 'issueAccessCredential',
    tag,
    summary: 'Issue an access request, grant or denial of the caller',
    success: { 201: { description: 'The signed credential.', content: { [ld]: 'Credential' }}},
    errors: [ 409 ],
    addition,
  }),
  operation({
    method: 'POST',
    path: '/.access/status',
    caller: 'webid',
    answer: changeCredentialStatus,
    body: { schema: 'StatusChange' },
    operationId: 'revokeAccessCredential',
    tag,
    summary: 'Revoke a grant or denial, or cancel a request, of the caller',
    success: { 200: { description: 'It is revoked.', content: { 'application/json': 'StatusChange' }}},
    errors: [ 404 ],
    addition,
  }),
  operation({
    method: 'POST',
    path: '/.access/verify',
    caller: 'none',
    answer: verifyCredential,
    // A presentation as /derive answers it can be as large.
    body: { schema: 'VerificationRequest', maxBytes: 262_144 },
    operationId: 'verifyAccessCredential',
    tag,
    summary: 'Verify a credential, or those of a presentation',
    success: { 200: { description: 'What is wrong.', content: { 'application/json': 'VerificationResult' }}},
    addition,
  }),
  operation({
    method: 'GET',
    path: '/.access/query',
    caller: 'webid',
    answer: queryCredentials,
    query: credentialFilters,
    operationId: 'queryAccessCredentials',
    tag,
    summary: 'List the credentials that the caller made or received',
    success: {
      200: {
        description: 'A page, newest first; `Link` leads to the first, previous, next and last.',
        content: { 'application/json': 'CredentialPage' },
      },
    },
    addition,
  }),
  operation({
    method: 'POST',
    path: '/.access/query',
    caller: 'webid',
    answer: presentCredentials,
    body: { schema: 'PresentationRequest' },
    operationId: 'presentAccessCredentials',
    tag,
    summary: 'Find the caller\'s credentials by a verifiable presentation request',
    success: { 200: { description: 'A presentation of them.', content: { [ld]: 'Credential' }}},
    addition,
  }),
  operation({
    method: 'POST',
    path: '/.access/derive',
    caller: 'webid',
    answer: deriveCredentials,
    body: { schema: 'DeriveRequest' },
    operationId: 'deriveAccessCredentials',
    tag,
    summary: 'Find the caller\'s credentials that are like an example',
    success: { 200: { description: 'A presentation of them.', content: { [ld]: 'Credential' }}},
    addition,
  }),
];
