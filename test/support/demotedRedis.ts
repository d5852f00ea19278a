import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';

/** An address whose first connection leads to a Redis that is a replica now, and later ones to the new primary. */
export interface DemotedRedis {
  url: string;
  connections: readonly Socket[];
  stop: () => void;
}

const readOnly = '-READONLY You can\'t write against a read only replica. script: 1f, on @user_script:1.\r\n';

/** Starts it. The primary replies 1 to every command. */
export async function startDemotedRedis(): Promise<DemotedRedis> {
  const connections: Socket[] = [];
  const server = createServer((socket): void => {
    connections.push(socket);
    const reply = connections.length === 1 ? readOnly : ':1\r\n';
    socket.on('error', (): undefined => undefined);
    socket.on('data', (bytes): void => {
      for (const [ , command ] of String(bytes).matchAll(/\*\d+\r\n\$\d+\r\n(\w+)\r\n/gu)) {
        socket.write(command === 'info' ? '$10\r\nredis:test\r\n' : reply);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections,
    stop(): void {
      for (const socket of connections) {
        socket.destroy();
      }
      server.close();
    },
  };
}
