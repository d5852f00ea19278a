import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';

export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A web server on 127.0.0.1 whose answers a test sets by path. */
export class LoopbackServer {
  public readonly answers = new Map<string, Answer>();
  public readonly requests: IncomingMessage[] = [];

  private constructor(private readonly server: Server) {
    server.on('request', (request, response): void => {
      this.requests.push(request);
      const answer = this.answers.get(request.url!) ?? notFound;
      answer(response, request);
    });
  }

  /** Starts a server: https if a certificate and a key are given. */
  public static async start(tls?: { key: string; cert: string }): Promise<LoopbackServer> {
    const server: Server = tls ? createTlsServer(tls) : createServer();
    await new Promise<void>((resolve): void => {
      server.listen(0, '127.0.0.1', resolve);
    });
    return new LoopbackServer(server);
  }

  public get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  public get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  public get paths(): (string | undefined)[] {
    return this.requests.map(({ url }): string | undefined => url);
  }

  public serve(path: string, contentType: string, body: Buffer | string, status = 200): void {
    this.answers.set(path, (response): void => {
      response.writeHead(status, { 'content-type': contentType });
      response.end(body);
    });
  }

  public redirect(path: string, location: string, status = 302): void {
    this.answers.set(path, (response): void => {
      response.writeHead(status, { location });
      response.end();
    });
  }

  public clear(): void {
    this.answers.clear();
    this.requests.length = 0;
  }

  public async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve): void => {
      this.server.close((): void => resolve());
    });
  }
}

function notFound(response: ServerResponse): void {
  response.writeHead(404);
  response.end();
}
