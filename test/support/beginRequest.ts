import { request } from 'node:http';
import type { Client } from './world';

/** A request of which the server has the beginning. */
export interface BegunRequest {
  /** Sends the rest of the body; returns the status of the response. */
  finish: (rest: string) => Promise<number>;
}

/**
 * Sends the headers of a request, and the beginning of its body.
 *
 * @param client - Makes the headers that authenticate the caller.
 * @param method - Of the request.
 * @param url - Of the request.
 * @param others - Other headers.
 * @param beginning - Of the body, which comes in chunks unless the headers tell its length.
 */
export async function beginRequest(
  client: Pick<Client, 'authentication'>,
  method: string,
  url: string,
  others: Record<string, string>,
  beginning: string,
): Promise<BegunRequest> {
  const headers = { ...await client.authentication(method, url), ...others };
  const begun = request(url, { method, headers, agent: false });
  const status = new Promise<number>((resolve, reject): void => {
    begun.on('response', (response): void => resolve(response.resume().statusCode!)).on('error', reject);
  });
  await new Promise((resolve): unknown => begun.write(beginning, resolve));
  return {
    async finish(rest): Promise<number> {
      begun.end(rest);
      return status;
    },
  };
}
