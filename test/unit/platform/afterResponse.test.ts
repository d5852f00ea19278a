import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterResponse } from '../../../src/platform/afterResponse';

const get = 'GET / HTTP/1.1\r\nHost: localhost\r\n';

describe('What is written to a detached connection', (): void => {
  let server: Server;

  afterEach(async(): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  /** Sends two requests at once, the second for another protocol, and returns all that comes back. */
  async function sendBoth(answer: (response: ServerResponse) => unknown): Promise<string> {
    server = createServer((_request, response): unknown => answer(response));
    server.on('upgrade', (_request: IncomingMessage, socket: Duplex): void =>
      afterResponse(socket, (): unknown => socket.end('second')));
    server.listen(0);
    await once(server, 'listening');
    return new Promise((resolve): void => {
      let received = '';
      const client = connect((server.address() as AddressInfo).port);
      client.write(`${get}\r\n${get}Connection: Upgrade\r\nUpgrade: other\r\n\r\n`);
      client.on('data', (chunk): void => {
        received += chunk.toString();
      });
      client.on('error', (): undefined => undefined);
      client.on('close', (): void => resolve(received));
    });
  }

  it.each<[string, (response: ServerResponse) => unknown]>([
    [ 'complete', (response): unknown => response.end('first') ],
    [ 'not complete', (response): unknown =>
      response.write('fir') && setTimeout((): unknown => response.end('st'), 20) ],
    [ 'not begun', (response): unknown => setTimeout((): unknown => response.end('first'), 20) ],
  ])('follows a response that is %s.', async(_state, answer): Promise<void> => {
    const received = await sendBoth(answer);
    expect(received).toMatch(/^HTTP\/1.1 200 .*fir.*st.*second$/su);
  });

  it('is left out, and the connection closed, if nothing happens on it.', async(): Promise<void> => {
    await expect(sendBoth((response): unknown => response.socket!.setTimeout(20))).resolves.toBe('');
  });
});
