import { request } from 'node:http';

/** A response. */
export interface Answered {
  status: number;
  body: unknown;
  etag?: string;
  location?: string;
}

/** Parts of a request beside method, URL and token. */
export interface CallOptions {
  /** Sent as JSON. */
  body?: unknown;
  raw?: Buffer;
  headers?: Record<string, string>;
  /** Port of the node, if not that of the URL. */
  port?: number;
}

/**
 * Sends a request on a new connection.
 *
 * @returns The response; `undefined` if the server was gone before.
 */
export async function call(
  method: string,
  url: string,
  token: string,
  { body, raw, headers = {}, port }: CallOptions = {},
): Promise<Answered | undefined> {
  const text = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  return new Promise((resolve): void => {
    const { host } = new URL(url);
    const sent = request(url, {
      method,
      agent: false,
      ...port === undefined ? {} : { port },
      headers: {
        host,
        ...token === '' ? {} : { authorization: `Bearer ${token}` },
        ...text === undefined ?
            {} :
            { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) },
        ...headers,
      },
    });
    sent.on('error', (): void => resolve(undefined));
    sent.on('response', (response): void => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer): number => chunks.push(chunk));
      response.on('error', (): void => resolve(undefined));
      response.on('end', (): void => {
        const { etag, location } = response.headers;
        resolve({ status: response.statusCode!, body: parse(Buffer.concat(chunks).toString()), etag, location });
      });
    });
    sent.end(text);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
