import { request } from 'node:http';
import type { Client } from './world';

/** A request of which the server has the beginning. */
export interface BegunRequest {
  /** Sends the rest of the body; returns the status of the response. */
  finish: (rest: string) => Promise<number>;
}

/** Sends the headers of a request, and the beginning of its body. */
export async function beginRequest(
  client: Client,
  method: string,
  url: string,
  contentType: string,
  beginning: string,
): Promise<BegunRequest> {
  const headers = { ...await client.authentication(method, url), 'content-type': contentType };
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
