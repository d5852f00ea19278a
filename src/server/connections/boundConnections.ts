import { readFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { replacePart } from '../../server/replacePart';
import { opened } from '../../platform/opened';

/** Bounds on the connections of a server. */
export interface ConnectionBounds {
  /** Until all headers of a request are there. */
  headersSeconds: number;
  /** Until all of a request is there. */
  requestSeconds: number;
  /** Between two requests. */
  idleSeconds: number;
  /** While the client does not read the response. */
  stalledSeconds: number;
  /** For the first request on a connection that was opened when the server began to close. */
  graceSeconds: number;
  /** Open at once; more are closed as soon as they are opened. */
  maxConnections: number;
  /**
   * Opened and not yet accepted by the process: past that, the system drops connections, and clients try again after
   * one and three seconds. The system may have a lower bound (`net.core.somaxconn`).
   */
  backlog: number;
}

/** Ends the connections of a server in two steps. */
export interface ConnectionEnd {
  /** From now on every response is the last one on its connection. */
  drain: () => void;
  /**
   * Ends the connections that nothing was ever asked on: Node waits for them when the server closes. A request that is
   * on its way is still answered.
   */
  close: () => void;
}

/** A connection that is open: one entry for as long as it is, see docs/performance.md. */
interface Connection {
  /** True when nothing was ever asked on it. */
  isSilent: boolean;
  /** Response in progress. */
  response?: ServerResponse;
}

/** Open files that are left for pods, records and what is fetched. */
const shareOfFiles = 0.75;
const mostConnections = 10_000;

/** Bounds of an ordinary server. Its idle time is longer than that of proxies. */
export const usualBounds: ConnectionBounds = {
  headersSeconds: 20,
  requestSeconds: 300,
  idleSeconds: 75,
  stalledSeconds: 60,
  graceSeconds: 1,
  maxConnections: Math.min(mostConnections, Math.floor(maxOpenFiles() * shareOfFiles)),
  backlog: 4096,
};

/**
 * Keeps slow, silent and too many clients from taking connections, memory and open files for themselves.
 *
 * Endless responses, as of notification channels, are left alone while there is nothing to send. WebSockets are not
 * bounded here.
 */
export function boundConnections(server: Server, bounds: ConnectionBounds): ConnectionEnd {
  server.headersTimeout = bounds.headersSeconds * 1000;
  server.requestTimeout = bounds.requestSeconds * 1000;
  server.keepAliveTimeout = bounds.idleSeconds * 1000;
  server.maxConnections = bounds.maxConnections;
  widenBacklog(server, bounds.backlog);
  const connections = new Map<Socket, Connection>();
  let isDraining = false;
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket): void => {
    connections.set(socket, { isSilent: true });
    socket.once('close', (): boolean => connections.delete(socket));
  });
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse): void => {
    const connection = connections.get(socket);
    if (connection) {
      beginAnswer(connection, response);
    }
    if (isDraining) {
      makeLast(response);
    }
  });
  // With a listener, Node leaves it to this one whether the connection ends.
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

/** The server gives no backlog when it begins to listen, so that Node takes 511. */
function widenBacklog(server: Server, backlog: number): void {
  const listen = opened<{ listen: (...args: unknown[]) => Server }>(server).listen.bind(server);
  replacePart(server, 'listen', (...place: unknown[]): Server => listen(...place, backlog));
}

function beginAnswer(connection: Connection, response: ServerResponse): void {
  connection.isSilent = false;
  connection.response = response;
  response.once('close', (): void => {
    if (connection.response === response) {
      connection.response = undefined;
    }
  });
}

function makeLast(response: ServerResponse): void {
  if (!response.headersSent) {
    response.setHeader('Connection', 'close');
  }
}

/** Files that this process may have open at once; very many where the system does not say. */
function maxOpenFiles(): number {
  try {
    const [ , limit ] = /^Max open files\s+(\d+)/mu.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? Infinity : Number(limit);
  } catch {
    return Infinity;
  }
}
