import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { createBoundedAgent } from '../../../../src/server/outside/boundedAgent';

describe('An agent with limits', (): void => {
  let server: Server;
  let answer: (response: ServerResponse) => void;
  let asked: string | undefined;

  beforeAll(async(): Promise<void> => {
    server = createServer((received, response): void => {
      asked = received.headers['accept-encoding']!;
      answer(response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterAll((): void => {
    server.closeAllConnections();
    server.close();
  });

  /** Fetches like a library that accepts any response, and would decompress it. */
  async function read(): Promise<string> {
    const { port } = server.address() as AddressInfo;
    const sent = request({
      agent: createBoundedAgent('http:', 1000),
      headers: { 'accept-encoding': 'gzip' },
      host: '127.0.0.1',
      port,
    });
    sent.end();
    return new Promise((resolve, reject): void => {
      sent.on('error', reject);
      sent.on('response', (response): unknown => text(response).then(resolve, reject));
    });
  }

  it('accepts small responses, and requests no compression.', async(): Promise<void> => {
    answer = (response): unknown => response.end('x'.repeat(1000));
    await expect(read()).resolves.toHaveLength(1000);
    expect(asked).toBe('identity');
  });

  it.each([
    [ 'in one piece', (response: ServerResponse): unknown => response.end('x'.repeat(1001)) ],
    [ 'in pieces', (response: ServerResponse): void => {
      response.write('x'.repeat(999));
      response.write('xx');
    } ],
  ])('aborts a response that is too large, %s.', async(_, sends): Promise<void> => {
    answer = sends;
    await expect(read()).rejects.toThrow('the answer is too large');
  });

  it('aborts a compressed response.', async(): Promise<void> => {
    answer = (response): void => {
      response.setHeader('content-encoding', 'gzip');
      response.end(gzipSync('x'.repeat(100_000)));
    };
    await expect(read()).rejects.toThrow('the answer is compressed');
  });
});
