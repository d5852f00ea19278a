import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request as sent on the wire: its target is sent unchanged, whatever it contains. */
export interface RawRequest {
  method: string;
  /** Request target, bytes and all. */
  target: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Status and text of a response. */
export interface RawAnswer {
  status: number;
  /** Head and body. */
  text: string;
}

/**
 * Sends a request without the checks and changes of a client.
 *
 * @param port - Port of a server on loopback.
 * @param patienceMilliseconds - Time-out for the response.
 *
 * @throws Error without a complete response.
 */
export async function sendRaw(
  port: number,
  request: RawRequest,
  patienceMilliseconds = 180_000,
): Promise<RawAnswer> {
  const { method, target, headers = {}, body } = request;
  const lines = [
    `${method} ${target} HTTP/1.1`,
    `Host: localhost:${port}`,
    'Connection: close',
    ...body === undefined ? [] : [ `Content-Length: ${Buffer.byteLength(body)}` ],
    ...Object.entries(headers).map(([ name, value ]): string => `${name}: ${value}`),
  ];
  const socket = connect({ port, host: 'localhost', autoSelectFamily: true });
  socket.setTimeout(patienceMilliseconds, (): void => {
    socket.destroy(new Error(`No answer to ${method} ${target.slice(0, 200)}`));
  });
  socket.write(Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`, 'latin1'));
  const answer = await text(socket);
  const status = Number(/^HTTP\/1\.1 (\d{3})/u.exec(answer)?.[1]);
  if (Number.isNaN(status)) {
    throw new TypeError(`No answer to ${method} ${target.slice(0, 200)}: ${answer.slice(0, 200)}`);
  }
  return { status, text: answer };
}
