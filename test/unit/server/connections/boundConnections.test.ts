import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { boundConnections } from '../../../../src/server/connections/boundConnections';
import { giveWay } from '../../../../src/platform/giveWay';
import type { ConnectionBounds, ConnectionEnd } from '../../../../src/server/connections/boundConnections';
import { cpuMsSince } from '../../../support/cpuMsSince';

const patient: ConnectionBounds = {
  headersSeconds: 3600,
  requestSeconds: 3600,
  idleSeconds: 3600,
  stalledSeconds: 3600,
  graceSeconds: 3600,
  maxConnections: 100,
  maxPipelined: 100,
  backlog: 100,
};
const get = 'GET / HTTP/1.1\r\nHost: localhost\r\n';

describe('A server with limits on connections', (): void => {
  let server: Server;
  let end: ConnectionEnd;
  const open: Socket[] = [];

  async function serve(
    bounds: Partial<ConnectionBounds>,
    answer: (request: IncomingMessage, response: ServerResponse) => void,
  ): Promise<void> {
    server = createServer({ connectionsCheckingInterval: 20 }, answer);
    end = boundConnections(server, { ...patient, ...bounds });
    server.listen(0, 'localhost');
    await once(server, 'listening');
  }

  async function client(): Promise<Socket> {
    const socket = connect((server.address() as AddressInfo).port, 'localhost');
    open.push(socket);
    socket.on('error', (): void => {
      // It is closed in some way.
    });
    await once(socket, 'connect');
    return socket;
  }

  afterEach(async(): Promise<void> => {
    for (const socket of open.splice(0)) {
      socket.destroy();
    }
    server.closeAllConnections();
    if (server.listening) {
      server.close();
      await once(server, 'close');
    }
  });

  it('closes those whose headers do not arrive.', async(): Promise<void> => {
    await serve({ headersSeconds: 0.05 }, (_request, response): unknown => response.end());
    const socket = await client();
    socket.write(get);
    const [ answer ] = await once(socket, 'data') as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 408 /u);
    await once(socket, 'close');
  });

  it('reads each header, however many there are.', async(): Promise<void> => {
    await serve({}, ({ headers }, response): unknown => response.end(headers['x-forwarded-for']));
    const socket = await client();
    socket.write(`${get}${'A:\r\n'.repeat(3000)}X-Forwarded-For: 192.0.2.1\r\n\r\n`);
    const [ answer ] = await once(socket, 'data') as [Buffer];
    expect(answer.toString()).toContain('192.0.2.1');
  });

  describe('and a body in chunks of single bytes', (): void => {
    const bytes = 4000;
    const post = `POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const chunks = '1\r\nx\r\n'.repeat(bytes);

    it('receives it in few pieces.', async(): Promise<void> => {
      const pieces: number[] = [];
      await serve({}, (request, response): void => {
        request.on('data', ({ length }: Buffer): unknown => pieces.push(length))
          .on('end', (): unknown => response.end('read'));
      });
      const socket = await client();
      socket.write(`${post}${chunks}0\r\n\r\n`);
      await once(socket, 'data');
      expect(pieces.reduce((sum, length): number => sum + length, 0)).toBe(bytes);
      expect(pieces.length).toBeLessThan(100);
    });

    it('does not read it faster than it is consumed.', async(): Promise<void> => {
      await serve({}, (request, response): void => {
        request.on('end', (): unknown => response.end('read'));
      });
      const socket = await client();
      const requested = once(server, 'request');
      socket.write(post);
      const [ request ] = await requested as [IncomingMessage];
      for (let sent = 0; sent < 2000 && socket.writableLength === 0; sent += 1) {
        socket.write(chunks);
        await new Promise(setImmediate);
      }
      expect(socket.writableLength).toBeGreaterThan(0);
      expect(request.readableLength).toBeLessThan(200_000);
      socket.write('0\r\n\r\n');
      request.resume();
      const [ answer ] = await once(socket, 'data') as [Buffer];
      expect(answer.toString()).toContain('read');
    });
  });

  it('shuts down in spite of an unused connection.', async(): Promise<void> => {
    await serve({ graceSeconds: 0.05 }, (_request, response): unknown => response.end('answered'));
    const used = await client();
    used.write(`${get}\r\n`);
    await once(used, 'data');
    const silent = await client();
    silent.resume();
    end.close();
    await once(silent, 'close');
    expect(used.destroyed).toBe(false);
  });

  it('answers requests in progress when it closes.', async(): Promise<void> => {
    await serve({}, (_request, response): unknown => response.end('answered'));
    const silent: Socket[] = [];
    for (let index = 0; index < 2; index += 1) {
      const accepted = once(server, 'connection');
      silent.push(await client());
      await accepted;
    }
    end.drain();
    end.close();
    server.close();
    for (const socket of silent) {
      const closed = once(socket, 'close');
      socket.write(`${get}\r\n`);
      const [ answer ] = await once(socket, 'data') as [Buffer];
      expect(answer.toString()).toContain('answered');
      await closed;
    }
  });

  it('sends the last response on each while it drains, also to earlier requests.', async(): Promise<void> => {
    const responses: ServerResponse[] = [];
    await serve({}, (_request, response): unknown => responses.push(response));
    const sockets = [ await client(), await client() ];
    for (const [ index, socket ] of sockets.entries()) {
      const asked = once(server, 'request');
      socket.write(`${get}\r\n`);
      await asked;
      if (index === 0) {
        end.drain();
      }
    }
    for (const [ index, response ] of responses.entries()) {
      const closed = once(sockets[index], 'close');
      response.end('answered');
      const [ answer ] = await once(sockets[index], 'data') as [Buffer];
      expect(answer.toString()).toMatch(/^connection: close\r$/imu);
      await closed;
    }
  });

  it('closes those on which a response was being sent when it closed.', async(): Promise<void> => {
    let response: ServerResponse | undefined;
    await serve({}, (_request, answer): void => {
      response = answer;
      answer.write('begun, ');
    });
    const socket = await client();
    socket.write(`${get}\r\n`);
    await once(socket, 'data');
    end.drain();
    end.close();
    server.close();
    const closed = once(socket, 'close');
    response!.end('ended');
    const [ rest ] = await once(socket, 'data') as [Buffer];
    expect(rest.toString()).toContain('ended');
    await closed;
  });

  it('closes those whose bodies do not arrive.', async(): Promise<void> => {
    await serve({ headersSeconds: 0.04, requestSeconds: 0.05 }, (request): unknown => request.resume());
    const socket = await client();
    socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nhalf');
    socket.resume();
    await once(socket, 'close');
    expect(socket.destroyed).toBe(true);
  });

  it('closes those that send nothing.', async(): Promise<void> => {
    await serve({ stalledSeconds: 0.05 }, (_request, response): unknown => response.end());
    const socket = await client();
    socket.resume();
    await once(socket, 'close');
    expect(socket.destroyed).toBe(true);
  });

  it('closes those that send no further request.', async(): Promise<void> => {
    await serve({ idleSeconds: 0.05 }, (_request, response): unknown => response.end());
    const socket = await client();
    socket.write(`${get}\r\n`);
    const [ answer ] = await once(socket, 'data') as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 200 /u);
    await once(socket, 'close');
  });

  it('closes those that do not read the response.', async(): Promise<void> => {
    const ended = new Promise<void>((resolve, reject): void => {
      serve({ stalledSeconds: 0.05 }, (_request, response): void => {
        response.once('close', resolve);
        response.end(Buffer.alloc(64 * 1024 * 1024));
      }).then(async(): Promise<void> => {
        const socket = await client();
        socket.write(`${get}\r\n`);
        socket.pause();
      }).catch(reject);
    });
    await expect(ended).resolves.toBeUndefined();
  });

  it('keeps one whose response has nothing to send for a long time.', async(): Promise<void> => {
    let timeouts = 0;
    const answered = new Promise<Socket>((resolve, reject): void => {
      serve({ stalledSeconds: 0.5 }, (request, response): void => {
        response.write('first');
        request.socket.on('timeout', (): void => {
          timeouts += 1;
          response.write('more');
        });
      }).then(async(): Promise<void> => {
        const socket = await client();
        socket.write(`${get}\r\n`);
        resolve(socket);
      }).catch(reject);
    });
    const socket = await answered;
    let text = '';
    while (!text.includes('more')) {
      const [ chunk ] = await once(socket, 'data') as [Buffer];
      text += chunk.toString();
    }
    expect(timeouts).toBeGreaterThan(0);
    expect(socket.closed).toBe(false);
  });

  it('closes responses that wait behind another one, with their connection.', async(): Promise<void> => {
    const responses: ServerResponse[] = [];
    let arrived: () => void;
    const all = new Promise<void>((resolve): void => {
      arrived = resolve;
    });
    const closed: number[] = [];
    await serve({}, (_request, response): void => {
      const index = responses.push(response) - 1;
      response.on('close', (): unknown => closed.push(index));
      response.write('begun');
      if (responses.length === 3) {
        arrived();
      }
    });
    const socket = await client();
    socket.write(`${get}\r\n`.repeat(3));
    await all;
    const ended = new Promise<unknown>((resolve): unknown => responses[0].socket!.once('close', resolve));
    socket.destroy();
    await ended;
    await giveWay();
    expect(closed).toHaveLength(3);
    expect(new Set(closed)).toEqual(new Set([ 0, 1, 2 ]));
    const late = new PassThrough();
    await expect(pipeline(late, responses[2])).rejects.toThrow('');
    expect(late.destroyed).toBe(true);
  });

  it('closes those with too many unanswered requests.', async(): Promise<void> => {
    const answers: ServerResponse[] = [];
    await serve({ maxPipelined: 4 }, (_request, response): unknown => answers.push(response));
    const [ many, few ] = [ await client(), await client() ];
    few.write(`${get}\r\n`.repeat(4));
    while (answers.length < 4) {
      await giveWay();
    }
    many.write(`${get}\r\n`.repeat(5));
    await once(many, 'close');
    for (const response of answers.splice(0)) {
      response.end();
    }
    let received = '';
    few.on('data', (data: Buffer): void => {
      received += data.toString();
    });
    while (received.split('HTTP/1.1 200').length < 5) {
      await giveWay();
    }
    few.write(`${get}\r\n`.repeat(4));
    while (answers.length < 4) {
      await giveWay();
    }
    expect(few.destroyed).toBe(false);
  });

  it('accepts no more than its limit, and serves those it has.', async(): Promise<void> => {
    await serve({ maxConnections: 2 }, (_request, response): unknown => response.end('served'));
    const [ first ] = [ await client(), await client() ];
    const dropped = once(server, 'drop');
    const third = connect((server.address() as AddressInfo).port, 'localhost');
    open.push(third);
    third.on('error', (): undefined => undefined);
    third.resume();
    await dropped;
    await once(third, 'close');
    first.write(`${get}\r\n`);
    const [ answer ] = await once(first, 'data') as [Buffer];
    expect(answer.toString()).toContain('served');
  });

  it('queues as many as arrive together.', async(): Promise<void> => {
    await serve({ backlog: 4096 }, (_request, response): unknown => response.end());
    const { port, address } = server.address() as AddressInfo;
    const sockets = Array.from({ length: 700 }, (): Socket => connect(port, address));
    open.push(...sockets);
    for (const socket of sockets) {
      socket.on('error', (): undefined => undefined);
    }
    // A dropped connection is on its way until its client tries again, after a second: more than this takes of a core.
    const begun = process.cpuUsage();
    let left: number;
    do {
      await giveWay();
      left = onTheirWay(port);
    } while (left > 0 && cpuMsSince(begun) < 500);
    expect(left).toBe(0);
  });
});

/** Counts the connections to a local port that are not accepted yet. */
function onTheirWay(port: number): number {
  const remote = `:${port.toString(16).toUpperCase().padStart(4, '0')} 02 `;
  return [ 'tcp', 'tcp6' ].flatMap((family): string[] => readFileSync(`/proc/net/${family}`, 'utf8').split('\n'))
    .filter((line): boolean => line.includes(remote)).length;
}
