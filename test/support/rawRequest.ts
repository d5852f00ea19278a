import { connect } from 'node:net';

/** A response as received. */
export interface RawAnswer {
  /** 0 without a response. */
  status: number;
  /** Names in lower case. */
  headers: Headers;
  text: string;
  /** The whole response. */
  whole: string;
}

/**
 * Sends a request with its target unchanged: nothing is resolved, encoded or refused.
 *
 * @param base - Base URL of the server.
 * @param method - Of the request.
 * @param target - Each character is one byte.
 * @param more - All optional.
 * @param more.headers - In addition to or instead of `Host` and `Connection: close`; undefined omits one of them.
 * @param more.body - Text that is sent with its length.
 */
export async function rawRequest(
  base: string,
  method: string,
  target: string,
  { headers = {}, body = '' }: { headers?: Record<string, string | undefined>; body?: string } = {},
): Promise<RawAnswer> {
  const { host, hostname, port } = new URL(base);
  const length = body === '' ? {} : { 'content-length': String(body.length) };
  const head = Object.entries({ host, connection: 'close', ...length, ...headers })
    .filter(([ , value ]): boolean => value !== undefined)
    .map(([ name, value ]): string => `${name}: ${value}\r\n`).join('');
  const answer = await new Promise<string>((resolve): void => {
    let received = '';
    const socket = connect(Number(port), hostname, (): unknown =>
      socket.write(`${method} ${target} HTTP/1.1\r\n${head}\r\n${body}`, 'latin1'));
    socket.on('data', (chunk): void => {
      received += chunk.toString('latin1');
    });
    socket.on('error', (): void => resolve(received));
    socket.on('close', (): void => resolve(received));
  });
  return parse(answer);
}

function parse(answer: string): RawAnswer {
  const end = answer.indexOf('\r\n\r\n');
  const [ first, ...lines ] = answer.slice(0, end).split('\r\n');
  const headers = new Headers(lines.map((line): [string, string] => {
    const [ name, ...value ] = line.split(':');
    return [ name, value.join(':').trim() ];
  }));
  const status = Number(/^HTTP\/1.1 (\d+)/u.exec(first)?.[1] ?? 0);
  return { status, headers, text: answer.slice(end + 4), whole: answer };
}
