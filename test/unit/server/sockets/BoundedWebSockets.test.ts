import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import {
  ForbiddenHttpError,
  NotImplementedHttpError,
  WebSocket2023Storer,
  WebSocketHandler,
} from '@solid/community-server';
import type { WebSocketHandlerInput } from '@solid/community-server';
import { WebSocket } from 'ws';
import { ProcessWebSocketMap } from '../../../../src/server/nodes/ProcessWebSocketMap';
import { BoundedWebSockets } from '../../../../src/server/sockets/BoundedWebSockets';

/** Accepts every WebSocket, unless a reason is set. */
class Anybody extends WebSocketHandler {
  public reason?: Error;
  public opened?: (input: WebSocketHandlerInput) => Promise<void>;

  public override async canHandle(): Promise<void> {
    if (this.reason) {
      throw this.reason;
    }
  }

  public async handle(input: WebSocketHandlerInput): Promise<void> {
    // Sends nothing by itself.
    await this.opened?.(input);
  }
}

const pingMs = 45_000;

/** Waits until everything sent before, a pong too, has arrived at the server. */
async function heard(webSocket: WebSocket): Promise<void> {
  const pong = once(webSocket, 'pong');
  webSocket.ping();
  await pong;
}

describe('BoundedWebSockets', (): void => {
  let server: Server;
  let webSockets: BoundedWebSockets;
  let handler: Anybody;
  let isRefusing: boolean;
  let url: string;

  beforeEach(async(): Promise<void> => {
    isRefusing = false;
    handler = new Anybody();
    jest.useFakeTimers({ doNotFake: [ 'nextTick', 'queueMicrotask', 'setImmediate', 'setTimeout', 'clearTimeout' ]});
    server = createServer();
    webSockets = new BoundedWebSockets({
      handler,
      gate: { addressOf: (): string => 'somewhere', refuses: (): boolean => isRefusing },
      maxSocketsPerAddress: 2,
      pingMs,
    });
    await webSockets.handle(server);
    server.listen(0);
    await once(server, 'listening');
    url = `ws://localhost:${(server.address() as AddressInfo).port}/`;
  });

  afterEach(async(): Promise<void> => {
    await webSockets.finalize();
    server.close();
    await once(server, 'close');
    jest.useRealTimers();
  });

  async function open(autoPong = true): Promise<WebSocket> {
    const webSocket = new WebSocket(url, { autoPong });
    await once(webSocket, 'open');
    return webSocket;
  }

  async function statusOfRefusal(): Promise<number> {
    const refused = new WebSocket(url);
    const [ , response ] = await once(refused, 'unexpected-response') as [unknown, { statusCode: number }];
    return response.statusCode;
  }

  it('closes those that do not respond, and no others.', async(): Promise<void> => {
    const [ lively, silent ] = await Promise.all([ open(), open(false) ]);
    jest.advanceTimersByTime(pingMs);
    await once(lively, 'ping');
    await heard(lively);
    const closed = once(silent, 'close');
    jest.advanceTimersByTime(pingMs);
    await closed;
    await heard(lively);
    expect(lively.readyState).toBe(WebSocket.OPEN);
  });

  it('closes those that send too much.', async(): Promise<void> => {
    const webSocket = await open();
    webSocket.send('x'.repeat(4097));
    const [ code ] = await once(webSocket, 'close') as [number];
    expect(code).toBe(1009);
  });

  it('closes those that ping without reading the replies.', async(): Promise<void> => {
    const webSocket = await open();
    webSocket.on('error', (): undefined => undefined);
    webSocket.pause();
    await new Promise<void>((resolve): void => {
      function pingOn(error?: Error): void {
        if (error) {
          resolve();
        } else {
          webSocket.ping('x'.repeat(125), undefined, pingOn);
        }
      }
      pingOn();
    });
    await expect(open()).resolves.toBeDefined();
    await expect(open()).resolves.toBeDefined();
  });

  it('limits the number open for each address.', async(): Promise<void> => {
    const [ first ] = await Promise.all([ open(), open() ]);
    await expect(statusOfRefusal()).resolves.toBe(429);
    first.close();
    await once(first, 'close');
    await expect(open()).resolves.toBeDefined();
  });

  it.each<[number, Error]>([
    [ 404, new NotImplementedHttpError('Unknown') ],
    [ 403, new ForbiddenHttpError('No right') ],
    [ 503, new Error('No database') ],
  ])('refuses with %i what its handler does not accept.', async(status, reason): Promise<void> => {
    handler.reason = reason;
    await expect(statusOfRefusal()).resolves.toBe(status);
  });

  it('keeps no connection that the client of a refused one leaves open.', async(): Promise<void> => {
    isRefusing = true;
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const { port } = server.address() as AddressInfo;
    const client = connect({ port, allowHalfOpen: true });
    client.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    const [ socket ] = await accepted;
    const closed = once(socket, 'close');
    const [ answer ] = await once(client, 'data') as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 429 /u);
    await closed;
    client.destroy();
  });

  it('waits for no client that does not respond when the server stops.', async(): Promise<void> => {
    const connected = once(server, 'connection') as Promise<[Socket]>;
    const webSocket = await open();
    webSocket.pause();
    const [ socket ] = await connected;
    const closed = once(socket, 'close').then((): string => 'closed');
    await webSockets.finalize();
    await expect(Promise.race([ closed, setTimeout(15_000, 'open') ])).resolves.toBe('closed');
  });

  it('does not say why it failed after it was opened.', async(): Promise<void> => {
    handler.opened = async(): Promise<never> => {
      throw new Error('connect ECONNREFUSED 10.0.0.1:5432');
    };
    const webSocket = new WebSocket(url);
    const messages: string[] = [];
    webSocket.on('message', (message: Buffer): unknown => messages.push(message.toString()));
    await once(webSocket, 'close');
    expect(messages).toEqual([ 'There was an error opening this WebSocket.' ]);
  });

  it('keeps none that closed before it was stored.', async(): Promise<void> => {
    const sockets = new ProcessWebSocketMap();
    const storer = new WebSocket2023Storer({} as never, sockets as never);
    const stored = new Promise<void>((resolve): void => {
      handler.opened = async({ webSocket }): Promise<void> => {
        await once(webSocket, 'close');
        await storer.handle({ webSocket, channel: { id: 'urn:channel' } as never });
        resolve();
      };
    });
    (await open()).terminate();
    await stored;
    expect(sockets.size).toBe(0);
  });

  it('counts them as requests.', async(): Promise<void> => {
    isRefusing = true;
    await expect(statusOfRefusal()).resolves.toBe(429);
  });
});
