import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import { isOutage } from '../../../../src/platform/outage';
import { RedisLeases } from '../../../../src/server/locks/RedisLeases';

const readOnly = '-READONLY You can\'t write against a read only replica. script: 1f, on @user_script:1.\r\n';

describe('Leases in a Redis that became a replica', (): void => {
  let server: Server;
  let connections: Socket[];
  let leases: RedisLeases;

  beforeEach(async(): Promise<void> => {
    connections = [];
    // The first connection leads to a server that is a replica now; later ones lead to the new primary.
    server = createServer((socket): void => {
      connections.push(socket);
      const answer = connections.length === 1 ? readOnly : ':1\r\n';
      socket.on('error', (): undefined => undefined);
      socket.on('data', (bytes): void => {
        for (const [ , command ] of String(bytes).matchAll(/\*\d+\r\n\$\d+\r\n(\w+)\r\n/gu)) {
          socket.write(command === 'info' ? '$10\r\nredis:test\r\n' : answer);
        }
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    leases = new RedisLeases({ url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}` });
  });

  afterEach(async(): Promise<void> => {
    await leases.close();
    for (const socket of connections) {
      socket.destroy();
    }
    server.close();
  });

  it('are refused as in an outage, and then taken on a new connection.', async(): Promise<void> => {
    async function hold(): Promise<string> {
      return leases.hold('write', 'name', async(): Promise<string> => 'held');
    }
    const error = await hold().catch((thrown: unknown): unknown => thrown);
    expect([ isOutage(error), String(error) ]).toEqual([ true, expect.stringContaining('READONLY') ]);
    await expect(hold()).resolves.toBe('held');
    expect(connections).toHaveLength(2);
  });
});
