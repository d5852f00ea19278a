import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on loopback. */
export interface Loopback {
  /** Without a slash at the end. */
  url: string;
  stop: () => Promise<void>;
}

/** Starts a real server on a free port of loopback. */
export async function startLoopback(listener: RequestListener): Promise<Loopback> {
  // Idle connections stay open until the next request of a busy client.
  const server: Server = createServer({ keepAliveTimeout: 600_000 }, listener);
  await new Promise<void>((resolve): void => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise<unknown>((resolve): void => {
        server.close(resolve);
      });
    },
  };
}

/** Reads the body of a request as text. */
export async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
}

/** Sends JSON. */
export function answerJson(response: ServerResponse, status: number, body: unknown, type = 'application/json'): void {
  response.writeHead(status, [[ 'Content-Type', type ]]).end(JSON.stringify(body));
}
