import { readFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { replacePart } from '../../server/replacePart';
import { opened } from '../../platform/opened';
import { gatherChunks } from './gatherChunks';

/** Bounds on the connections of a server. */
export interface ConnectionBounds {
  /** Maximum time to receive all headers of a request. */
  headersSeconds: number;
  /** Maximum time to receive a whole request. */
  requestSeconds: number;
  /** Maximum time between two requests. */
  idleSeconds: number;
  /** Maximum time in which the client does not read the response. */
  stalledSeconds: number;
  /** Time for the first request on a connection that was opened when the server began to close. */
  graceSeconds: number;
  /** Maximum open connections; more are closed as soon as they are opened. */
  maxConnections: number;
  /** Maximum unanswered requests on one connection; with more, it is closed. Few clients send a second one. */
  maxPipelined: number;
  /**
   * Maximum opened connections that the process has not accepted yet. Past that, the system drops connections, and
   * clients try again after one and three seconds. The system may have a lower bound (`net.core.somaxconn`).
   */
  backlog: number;
}

/** Ends the connections of a server in two steps. */
export interface ConnectionEnd {
  /** Makes every following response the last one on its connection. */
  drain: () => void;
  /**
   * Ends connections for which Node would wait when the server closes: at once, those without any request; after their
   * response, those on which one was being sent. A request that is being received is still answered.
   */
  close: () => void;
}

/** An open connection; has one entry for as long as it is open, see docs/performance.md. */
interface Connection {
  /** True as long as no request has arrived on it. */
  isSilent: boolean;
  /** Responses to requests on it that are not complete yet. */
  unanswered: Set<ServerResponse>;
  /** Response in progress. */
  response?: ServerResponse;
}

/** Share of open files for connections; the rest is for pods, records and fetched documents. */
const shareOfFiles = 0.75;
const mostConnections = 10_000;

/** Bounds for ordinary use. The idle time is longer than that of proxies. */
export const defaultBounds: ConnectionBounds = {
  headersSeconds: 20,
  requestSeconds: 300,
  idleSeconds: 75,
  stalledSeconds: 60,
  graceSeconds: 1,
  maxConnections: Math.min(mostConnections, Math.floor(maxOpenFiles() * shareOfFiles)),
  maxPipelined: 64,
  backlog: 4096,
};

/**
 * Prevents slow, silent and too many clients from using up connections, memory and open files.
 *
 * Endless responses, such as notification channels, are not timed out while there is nothing to send. WebSockets are
 * not bounded here.
 */
export function boundConnections(server: Server, bounds: ConnectionBounds): ConnectionEnd {
  server.headersTimeout = bounds.headersSeconds * 1000;
  server.requestTimeout = bounds.requestSeconds * 1000;
  server.keepAliveTimeout = bounds.idleSeconds * 1000;
  server.maxConnections = bounds.maxConnections;
  // Node would drop those after the 2,000th unseen, such as the address that a proxy adds; their bytes are bounded.
  server.maxHeadersCount = 0;
  widenBacklog(server, bounds.backlog);
  const connections = new Map<Socket, Connection>();
  let isDraining = false;
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket): void => {
    const connection: Connection = { isSilent: true, unanswered: new Set() };
    connections.set(socket, connection);
    socket.once('close', (): void => {
      connections.delete(socket);
      closeWaiting(connection);
    });
  });
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    gatherChunks(request);
    const connection = connections.get(socket);
    if (connection) {
      beginAnswer(connection, response);
      if (connection.unanswered.size > bounds.maxPipelined) {
        // Node would go on to emit requests for as long as there are no responses.
        socket.destroy();
      }
    }
    if (isDraining) {
      makeLast(response);
    }
  });
  // With a listener, Node leaves it to that listener to end the connection.
  server.setTimeout(bounds.stalledSeconds * 1000, (socket: Socket): void => {
    if (!connections.get(socket)?.response || socket.writableLength > 0) {
      socket.destroy();
    }
  });
  return {
    drain(): void {
      isDraining = true;
      for (const { response } of connections.values()) {
        if (response) {
          makeLast(response);
        }
      }
    },
    close(): void {
      for (const [ socket, { response }] of connections) {
        // Those that begin later are the last ones anyway.
        response?.once('close', (): void => socket.destroySoon());
      }
      setTimeout((): void => {
        for (const [ socket, { isSilent }] of connections) {
          if (isSilent) {
            socket.destroy();
          }
        }
      }, bounds.graceSeconds * 1000).unref();
    },
  };
}

/** Sets the backlog: the server passes none to `listen`, so that Node uses 511. */
function widenBacklog(server: Server, backlog: number): void {
  const listen = opened<{ listen: (...args: unknown[]) => Server }>(server).listen.bind(server);
  replacePart(server, 'listen', (...place: unknown[]): Server => listen(...place, backlog));
}

function beginAnswer(connection: Connection, response: ServerResponse): void {
  connection.isSilent = false;
  connection.response = response;
  connection.unanswered.add(response);
  response.once('close', (): void => {
    connection.unanswered.delete(response);
    if (connection.response === response) {
      connection.response = undefined;
    }
  });
}

/**
 * Closes the responses of a closed connection that wait behind another one. Node closes the response in progress only,
 * and what is to be sent with the others would stay open for good.
 */
function closeWaiting({ unanswered }: Connection): void {
  for (const response of unanswered) {
    if (!response.socket) {
      response.destroy();
      opened<{ _closed: boolean }>(response)._closed = true;
      response.emit('close');
    }
  }
}

function makeLast(response: ServerResponse): void {
  if (!response.headersSent) {
    response.setHeader('Connection', 'close');
  }
}

/** Returns the maximum of open files of this process; very high if the system does not report it. */
function maxOpenFiles(): number {
  try {
    const [ , limit ] = /^Max open files\s+(\d+)/mu.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? Infinity : Number(limit);
  } catch {
    return Infinity;
  }
}
