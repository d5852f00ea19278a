import type { Cluster, Worker } from 'node:cluster';
import { opened } from '../../platform/opened';
import { isRecord } from '../../platform/isRecord';

/** A connection that the primary process passes to a worker. */
interface Connection {
  close: (...args: unknown[]) => unknown;
}

type Send = (message: unknown, handle?: unknown, ...others: unknown[]) => boolean;

/**
 * Closes connections that were passed to a worker which died before it took them.
 *
 * Node's primary process accepts connections and keeps each open until the worker confirms it. A worker that is killed
 * before never does: the client gets neither a response nor a close for as long as the server runs.
 *
 * Call in the primary process before it starts its workers.
 */
export function closeOrphans(cluster: Pick<Cluster, 'on'>): void {
  const holders = new Map<Connection, Worker>();
  cluster.on('fork', (worker): void => {
    const child = opened<{ send: Send }>(worker.process);
    const send = child.send.bind(child);
    child.send = (message, handle, ...others): boolean => {
      if (isNewConnection(message) && isConnection(handle)) {
        note(handle, worker, holders);
      }
      return send(message, handle, ...others);
    };
  });
  cluster.on('exit', (worker): void => {
    for (const [ connection, holder ] of holders) {
      if (holder === worker) {
        connection.close();
      }
    }
  });
}

/**
 * Records the worker of a connection. Node closes its own end when a worker has taken it; one that refuses it makes
 * Node pass it to another.
 */
function note(connection: Connection, worker: Worker, holders: Map<Connection, Worker>): void {
  if (!holders.has(connection)) {
    const close = connection.close.bind(connection);
    connection.close = (...args): unknown => {
      holders.delete(connection);
      return close(...args);
    };
  }
  holders.set(connection, worker);
}

function isNewConnection(message: unknown): boolean {
  const { act, cmd } = isRecord(message) ? message : {};
  return cmd === 'NODE_CLUSTER' && act === 'newconn';
}

function isConnection(handle: unknown): handle is Connection {
  return isRecord(handle) && typeof handle.close === 'function';
}
