import type { IncomingMessage } from 'node:http';
import { HttpError, RepresentationMetadata } from '@solid/community-server';
import { isOutage, outageSeconds } from '../../platform/outage';
import { retryAfter } from '../tooBusy';

/** Paths of accounts and of the identity provider. */
const accountPaths = /^\/\.(?:account|oidc|well-known\/openid-configuration)(?:[/?]|$)/u;

/** Creates the error of an outage, whose response tells the client when to repeat the request. */
export function outageError(cause?: unknown): HttpError {
  const metadata = new RepresentationMetadata({ [retryAfter]: String(outageSeconds) });
  return new HttpError(503, 'ServiceUnavailableHttpError', 'The server cannot answer now.', { cause, metadata });
}

/** Returns the error of an outage for one that an outage has caused, and any other error as it is. */
export function asOutage(error: unknown): unknown {
  return isOutage(error) ? outageError(error) : error;
}

/** Refuses requests on accounts while a key is missing that may seal their sessions, cookies and tokens. */
export function findLockedOut({ url = '' }: IncomingMessage): HttpError | undefined {
  return accountPaths.test(url) ? outageError() : undefined;
}
