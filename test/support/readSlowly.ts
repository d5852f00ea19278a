import { once } from 'node:events';
import { connect } from 'node:net';

/**
 * Reads a response slowly.
 *
 * @param port - Of the server.
 * @param target - Path of the resource.
 * @param headers - Those of the request, `Host` among them.
 *
 * @returns Function that ends it.
 */
export async function readSlowly(port: number, target: string, headers: Record<string, string>): Promise<() => void> {
  const socket = connect({ port, host: 'localhost', autoSelectFamily: true });
  socket.on('error', (): undefined => undefined);
  const lines = Object.entries(headers).map(([ name, value ]): string => `${name}: ${value}`);
  socket.write([ `GET ${target} HTTP/1.1`, ...lines, '\r\n' ].join('\r\n'));
  await once(socket, 'readable');
  const reading = setInterval((): unknown => socket.read(), 100);
  return (): void => {
    clearInterval(reading);
    socket.destroy();
  };
}
