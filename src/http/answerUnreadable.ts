import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Problem } from '../problems';
import { BadRequest, HeadersTooLarge, RequestTimeout } from '../problems';
import { ownIris } from '../vocabulary';
import { afterResponse } from '../platform/afterResponse';
import { currentResponse } from '../platform/currentResponse';
import { opened } from '../platform/opened';
import { wrongMethod } from './wrongMethod';
import { problemDocument } from './problemDocument';

/** Error of Node for a request that it could not read. */
interface Unreadable extends NodeJS.ErrnoException {
  /** The last bytes received. */
  rawPacket?: Buffer;
}

/** Responds to a request that must not be handled; returns false for any other. */
export type UnreadableFilter = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Methods that some resource of this server supports. */
const methods = 'GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE';

/**
 * Returns a problem for input that Node cannot parse as a request or that names no host, instead of Node's empty
 * response, and for CONNECT, which Node leaves unanswered. Browsers of every origin may read it, because its path is
 * unknown. An `Expect` other than 100-continue is ignored (RFC 9110, section 10.1.1).
 *
 * @param baseUrl - Base URL with a trailing slash.
 *
 * @returns A filter for every request, which responds to those without host.
 */
export function answerUnreadable(server: Server, baseUrl: string): UnreadableFilter {
  const { problems } = ownIris(baseUrl);
  opened<{ requireHostHeader: boolean }>(server).requireHostHeader = false;
  server.on('checkExpectation', (request, response): unknown => server.emit('request', request, response));
  server.on('clientError', (error: Unreadable, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable || currentResponse(socket)?.headersSent === true) {
      socket.destroy();
      return;
    }
    answer(socket, problemOf(error.code), isHead(error));
  });
  server.on('connect', (_request, socket: Duplex): void => {
    socket.on('error', (): unknown => socket.destroy());
    socket.once('finish', (): unknown => socket.destroy());
    afterResponse(socket, (): void => answer(socket, wrongMethod('CONNECT', methods)));
  });
  return (request, response): boolean => {
    const isUnnamed = lacksHost(request);
    if (isUnnamed) {
      const { body, headers, status } = describe(new BadRequest('The request has no host header.'));
      response.writeHead(status, headers).end(body);
    }
    return isUnnamed;
  };

  function answer(socket: Duplex, problem: Problem, hasNoBody = false): void {
    const { body, headers, status } = describe(problem);
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headLines(headers)}\r\n${hasNoBody ? '' : body}`);
  }

  function describe(problem: Problem): { status: number; headers: Record<string, string>; body: string } {
    const body = JSON.stringify(problemDocument(problem, problems, randomUUID(), new Date()));
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(body)),
      'Cache-Control': 'no-store',
      'X-Correlation-Id': randomUUID(),
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Expose-Headers': 'Date,X-Correlation-Id',
      Date: new Date().toUTCString(),
      Connection: 'close',
      ...problem.headers,
    };
    return { status: problem.status, headers, body };
  }
}

/** @see [RFC 9112, section 3.2](https://www.rfc-editor.org/rfc/rfc9112#section-3.2) */
function lacksHost({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion === '1.1' && headers.host === undefined;
}

/**
 * Checks whether an unreadable request was, as far as its bytes show, a HEAD, whose response has no body (RFC 9110,
 * section 9.3.2).
 */
function isHead({ rawPacket }: Unreadable): boolean {
  return rawPacket?.subarray(0, 5).toString('latin1') === 'HEAD ';
}

function problemOf(code: string | undefined): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new HeadersTooLarge();
  }
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? new RequestTimeout() : new BadRequest('This is not an HTTP request.');
}

function headLines(headers: Record<string, string>): string {
  return Object.entries(headers).map(([ name, value ]): string => `${name}: ${value}\r\n`).join('');
}
