import type { IncomingHttpHeaders, OutgoingHttpHeaders, Server } from 'node:http';
import { createServer, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ApiSettings } from '../../../src/api/createApi';
import { createApi } from '../../../src/api/createApi';
import type { HttpApi } from '../../../src/http/HttpApi';
import type { Services } from '../../../src/api/Services';
import { TokenMissing } from '../../../src/problems';
import type { Caller } from '../../../src/tokens/Caller';
import { parseWebId } from '../../../src/platform/webId';

/** Base URL of the interface, which differs from that of the socket, as behind a proxy. */
export const baseUrl = 'https://pods.example/';
export const webId = parseWebId('https://consumer.example/profile/card#me');
export const correlationId = '0b5c0cf4-5c52-4e3a-8f6f-0a52b6a1c001';

/** A running interface, and the calls of its services. */
export interface RunningApi {
  api: HttpApi<Services>;
  logs: string[];
  call: (method: string, path: string, more?: CallOptions) => Promise<Reply>;
  port: number;
  stop: () => Promise<void>;
}

export interface CallOptions {
  headers?: OutgoingHttpHeaders;
  /** Sent as JSON unless it is text or bytes. */
  body?: unknown;
}

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  json: () => unknown;
}

/** Services that a test replaces, which may be incomplete. */
export type Stubs = {[K in keyof Services]?: Partial<Services[K]> | Services[K] };

/** The caller for any `Authorization` header in {@link startApi}. */
export function caller(more: Partial<Caller> = {}): Caller {
  return { kind: 'solid-oidc', webId, issuer: 'https://idp.example/', app: 'app-1', expiresAt: new Date(0), ...more };
}

/** Starts an interface on a free port. */
export async function startApi(stubs: Stubs = {}, options: Partial<ApiSettings> = {}): Promise<RunningApi> {
  const logs: string[] = [];
  function log(message: string): void {
    logs.push(message);
  }
  let ids = 0;
  const services = {
    verifier: {
      verify: async({ authorization }: { authorization?: string }): Promise<Caller> => {
        if (authorization === undefined) {
          throw new TokenMissing(undefined, { headers: { 'WWW-Authenticate': 'DPoP algs="ES256"' }});
        }
        return caller();
      },
      verifyAgain: async(): Promise<Caller> => caller(),
    },
    logger: { error: log, warn: log, info: log, debug: log },
    newId: (): string => {
      ids += 1;
      return `00000000-0000-4000-8000-${String(ids).padStart(12, '0')}`;
    },
    now: (): Date => new Date('2026-02-03T04:05:06.007Z'),
    ...stubs,
  } as unknown as Services;
  const api = createApi({ baseUrl, services, buildId: '1.2.3+abc', ...options });
  const server = createServer((req, res): void => {
    api.handle(req, res).catch((error: unknown): void => log(`rejected: ${String(error)}`));
  });
  await new Promise<void>((resolve): void => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { api, logs, port, call: clientOf(port), stop: async(): Promise<void> => stop(server) };
}

function clientOf(port: number): RunningApi['call'] {
  return async(method, path, { headers = {}, body } = {}): Promise<Reply> => new Promise((resolve, reject): void => {
    const options = { port, host: '127.0.0.1', method, path, headers: withType(headers, body), agent: false };
    const request = sendRequest(options);
    request.on('error', reject);
    request.on('response', (response): void => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer): void => {
        chunks.push(chunk);
      });
      response.on('error', reject);
      response.on('end', (): void => {
        const text = Buffer.concat(chunks).toString();
        const { statusCode, headers: received } = response;
        resolve({ status: statusCode!, headers: received, text, json: (): unknown => JSON.parse(text) });
      });
    });
    request.end(bytesOf(body));
  });
}

function bytesOf(body: unknown): Buffer | string | undefined {
  return body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
}

function withType(headers: OutgoingHttpHeaders, body: unknown): OutgoingHttpHeaders {
  const content = bytesOf(body);
  return {
    ...content !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(content) },
    ...headers,
  };
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve): void => {
    server.close((): void => resolve());
  });
}
