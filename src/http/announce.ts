import type { ServerResponse } from 'node:http';
import { isRecord } from '../platform/isRecord';

/**
 * Adds a challenge to any response, which RFC 9110, section 11.6.1, allows; the challenge of a refusal replaces it.
 * Browsers must not cache the response: Chromium drops the challenge of a cached one.
 */
export function announce(response: ServerResponse, challenge: string): void {
  response.setHeader('WWW-Authenticate', challenge);
  const writeHead = response.writeHead.bind(response);
  response.writeHead = (status: number, ...rest: unknown[]): ServerResponse => {
    const given = rest.at(-1);
    const headers = isRecord(given) ? given : {};
    return writeHead(status, { ...headers, 'cache-control': 'no-store' });
  };
}
