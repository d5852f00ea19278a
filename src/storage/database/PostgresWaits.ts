import type { Duplex } from 'node:stream';
import type { PoolClient } from 'pg';
import { opened } from '../../platform/opened';

/** Part of a connection that the types of the package leave out. */
interface Connected {
  connection: { stream: Duplex };
}

/** The overload of `query` that takes any arguments. */
interface AnyQuery {
  query: (...args: unknown[]) => Promise<unknown>;
}

/**
 * Bounds the wait for a response of PostgreSQL. Otherwise a server that is reachable but silent would block for ever
 * every request that queries it. After the limit, the connection is closed and its statements fail as lost.
 */
export class PostgresWaits {
  private unbounded = 0;

  public constructor(private readonly answerMs = 30_000) {}

  /** Runs work without a limit, such as changes of the schema. */
  public async unboundedly<T>(work: () => Promise<T>): Promise<T> {
    this.unbounded += 1;
    try {
      return await work();
    } finally {
      this.unbounded -= 1;
    }
  }

  /** Limits all statements of a new connection that return a promise. */
  public watch(client: PoolClient): void {
    const { stream } = opened<Connected>(client).connection;
    const query = opened<AnyQuery>(client).query.bind(client);
    const watched = async(...args: unknown[]): Promise<unknown> => {
      const timer = this.unbounded > 0 ? undefined : setTimeout((): unknown => stream.destroy(), this.answerMs);
      try {
        return await query(...args);
      } finally {
        clearTimeout(timer);
      }
    };
    Object.assign(client, { query: watched });
  }
}
