import type { IncomingMessage, Server } from 'node:http';
import { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createErrorMessage, getLoggerFor, guardStream, HttpError, ServerConfigurator } from '@solid/community-server';
import type { Finalizable, HttpRequest, WebSocketHandler, WebSocketHandlerInput } from '@solid/community-server';
import type { WebSocket } from 'ws';
import { WebSocketServer } from 'ws';
import { readWholeNumber } from '../../platform/readWholeNumber';
import type { ClientGate } from './ClientGate';

/** Options of {@link BoundedWebSockets}. */
export interface BoundedWebSocketsArgs {
  /** The server's own handler of WebSockets. Its `canHandle` decides by the request alone. */
  handler: WebSocketHandler;
  /** Counts requests by address. */
  gate: ClientGate;
  /** Maximum open WebSockets of one address in each process. */
  maxSocketsPerAddress: number;
  /**
   * Interval of pings, in milliseconds. A WebSocket that has not responded by the next ping is closed.
   *
   * @range {integer}
   */
  pingMs?: number;
}

/**
 * Maximum bytes of a message, because clients only need to close, and time in ms in which they must confirm that a
 * WebSocket ends.
 */
const bounds = { maxPayload: 4096, closeTimeout: 5000 };
/** RFC 6455: the server is going down. */
const goingAway = 1001;

/**
 * Accepts WebSockets within the limits by address, for requests that the handler can handle; others are refused before
 * a WebSocket is made. Each WebSocket is pinged, and closed when it does not respond, or sends long messages.
 */
export class BoundedWebSockets extends ServerConfigurator implements Finalizable {
  private readonly logger = getLoggerFor(this);
  private readonly handler: WebSocketHandler;
  private readonly gate: ClientGate;
  private readonly maxPerAddress: number;
  private readonly pingMs: number;
  private readonly webSockets = new WebSocketServer({ noServer: true, ...bounds });
  private readonly silent = new WeakSet<WebSocket>();
  private readonly open = new Map<string, number>();
  private timer?: NodeJS.Timeout;

  public constructor(args: BoundedWebSocketsArgs) {
    super();
    this.handler = args.handler;
    this.gate = args.gate;
    this.maxPerAddress = readWholeNumber('maxSocketsPerAddress', args.maxSocketsPerAddress);
    this.pingMs = args.pingMs ?? 45_000;
  }

  public async handle(server: Server): Promise<void> {
    server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer): void =>
      this.upgrade(request, socket, head));
    this.timer ??= setInterval((): void => this.ping(), this.pingMs).unref();
  }

  /** Closes all WebSockets, which would otherwise keep the server from stopping. */
  public async finalize(): Promise<void> {
    clearInterval(this.timer);
    for (const webSocket of this.webSockets.clients) {
      webSocket.close(goingAway);
    }
  }

  private upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const response = new ServerResponse(request);
    const address = this.gate.addressOf(request);
    const isRefused = this.gate.refuses(request, response);
    if (isRefused || (this.open.get(address ?? '') ?? 0) >= this.maxPerAddress) {
      refuse(response, socket, 429);
      return;
    }
    this.count(address, 1);
    socket.once('close', (): void => this.count(address, -1));
    socket.on('error', (): unknown => socket.destroy());
    const upgradeRequest = guardStream(request);
    // There is no socket yet: the handlers only examine the request.
    this.handler.canHandle({ upgradeRequest } as WebSocketHandlerInput).then((): void => {
      this.webSockets.handleUpgrade(request, socket, head, (webSocket): void => {
        this.accept(webSocket, upgradeRequest).catch((): undefined => undefined);
      });
    }).catch((error: unknown): void => {
      this.logger.debug(`A WebSocket was refused: ${createErrorMessage(error)}`);
      refuse(response, socket, statusOf(error));
    });
  }

  private async accept(webSocket: WebSocket, upgradeRequest: HttpRequest): Promise<void> {
    webSocket.on('pong', (): boolean => this.silent.delete(webSocket));
    webSocket.on('error', ({ message }: Error): unknown => this.logger.debug(`A WebSocket failed: ${message}`));
    try {
      await this.handler.handle({ upgradeRequest, webSocket });
    } catch (error: unknown) {
      this.logger.debug(`A WebSocket was not accepted: ${createErrorMessage(error)}`);
      // The reason could reveal something about the machine.
      webSocket.send('There was an error opening this WebSocket.');
      webSocket.close();
    }
  }

  private ping(): void {
    for (const webSocket of this.webSockets.clients) {
      if (this.silent.has(webSocket)) {
        webSocket.terminate();
      } else {
        this.silent.add(webSocket);
        webSocket.ping();
      }
    }
  }

  /** Counts a WebSocket, except for unknown addresses, which many clients may share. */
  private count(address: string | undefined, added: number): void {
    if (address !== undefined) {
      const count = (this.open.get(address) ?? 0) + added;
      if (count > 0) {
        this.open.set(address, count);
      } else {
        this.open.delete(address);
      }
    }
  }
}

const titles = {
  403: 'The subscription has ended.',
  404: 'There is no WebSocket here.',
  429: 'Too many WebSockets or requests from this address.',
  503: 'WebSockets cannot be opened now.',
};

type Refusal = keyof typeof titles;

function statusOf(error: unknown): Refusal {
  const status = HttpError.isInstance(error) ? error.statusCode : 500;
  if (status === 403) {
    return status;
  }
  // A handler that does not know the path throws "not implemented".
  return status < 500 || status === 501 ? 404 : 503;
}

function refuse(response: ServerResponse, socket: Socket, status: Refusal): void {
  socket.on('error', (): unknown => socket.destroy());
  response.assignSocket(socket);
  // Also if the client never closes its side: no time-out applies to a connection that Node has detached.
  response.once('finish', (): unknown => socket.destroySoon());
  if (status >= 429 && !response.hasHeader('Retry-After')) {
    response.setHeader('Retry-After', '60');
  }
  response.writeHead(status, { 'Content-Type': 'application/problem+json', Connection: 'close' });
  response.end(JSON.stringify({ status, title: titles[status] }));
}
