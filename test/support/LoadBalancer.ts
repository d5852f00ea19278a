import { Agent, createServer, request as send } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import { once } from 'node:events';

/** Header in which a test can select a node by its number. */
export const nodeHeader = 'x-node';

/** Forwards requests to nodes in turn, like a reverse proxy. */
export class LoadBalancer {
  /** Ports of the nodes on loopback; a node that does not respond is skipped. */
  public ports: number[] = [];

  private next = 0;
  /** Closes idle connections before the nodes do, so that no request is sent on one that is being closed. */
  private readonly agent = new Agent({ keepAlive: true, timeout: 30_000 });
  private readonly server: Server;

  private constructor() {
    // Idle connections stay open until the next request of a busy client.
    this.server = createServer({ keepAliveTimeout: 600_000 }, (request, response): void => {
      this.forward(request, response).catch((): void => {
        response.writeHead(502).end();
      });
    });
  }

  /** Listens on a port of loopback. */
  public static async start(port: number): Promise<LoadBalancer> {
    const balancer = new LoadBalancer();
    balancer.server.listen(port, 'localhost');
    await once(balancer.server, 'listening');
    return balancer;
  }

  public async stop(): Promise<void> {
    this.agent.destroy();
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(chunk as Buffer);
    }
    const { [nodeHeader]: chosen, ...headers } = request.headers;
    const answer = await this.ask(this.candidates(chosen), request, headers, Buffer.concat(chunks));
    response.writeHead(answer.statusCode!, answer.headers);
    answer.pipe(response);
  }

  private candidates(chosen?: string[] | string): number[] {
    if (chosen !== undefined) {
      return [ this.ports[Number(chosen)] ];
    }
    this.next += 1;
    const first = this.next % this.ports.length;
    return [ ...this.ports.slice(first), ...this.ports.slice(0, first) ];
  }

  /** Skips a node only if nothing was sent to it, because otherwise it may have carried out the request. */
  private async ask(
    [ port, ...others ]: number[],
    { method, url }: Pick<IncomingMessage, 'method' | 'url'>,
    headers: IncomingHttpHeaders,
    body: Buffer,
  ): Promise<IncomingMessage> {
    const outgoing = send({ host: 'localhost', port, method, path: url, headers, agent: this.agent });
    outgoing.end(body);
    try {
      const [ answer ] = await once(outgoing, 'response') as [IncomingMessage];
      return answer;
    } catch (error: unknown) {
      if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED' && others.length > 0) {
        return this.ask(others, { method, url }, headers, body);
      }
      throw error;
    }
  }
}
