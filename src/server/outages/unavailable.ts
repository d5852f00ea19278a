import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpError } from '@solid/community-server';
import { outageSeconds } from '../../platform/outage';

/** Paths of accounts and of the identity provider. */
const accountPaths = /^\/\.(?:account|oidc|well-known\/openid-configuration)(?:[/?]|$)/u;

/** Creates the error of an outage, and tells the client when to repeat the request. */
export function unavailable(response: ServerResponse, cause?: unknown): HttpError {
  response.setHeader('Retry-After', String(outageSeconds));
  return new HttpError(503, 'ServiceUnavailableHttpError', 'The server cannot answer now.', { cause });
}

/** Refuses requests on accounts while a key is missing that may seal their sessions, cookies and tokens. */
export function findLockedOut({ url = '' }: IncomingMessage, response: ServerResponse): HttpError | undefined {
  return accountPaths.test(url) ? unavailable(response) : undefined;
}
