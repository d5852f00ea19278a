import type { Duplex } from 'node:stream';
import type { PoolClient } from 'pg';
import { opened } from '../../platform/opened';

/** Parts of a connection that the types of the package leave out. */
interface Connected {
  connection: { stream: Duplex };
}

/** The one of its many forms that takes anything. */
interface AnyQuery {
  query: (...args: unknown[]) => Promise<unknown>;
}

/**
 * Bounds how long an answer of PostgreSQL is waited for. A server that is there but says nothing would otherwise hold
 * every request for ever that asks it: its connections are given up, and their statements fail as lost.
 */
export class PostgresWaits {
  private unbounded = 0;

  public constructor(private readonly answerMs = 30_000) {}

  /** Runs work with statements that may take any time, such as changes of the schema. */
  public async unboundedly<T>(work: () => Promise<T>): Promise<T> {
    this.unbounded += 1;
    try {
      return await work();
    } finally {
      this.unbounded -= 1;
    }
  }

  /** Bounds all statements of a new connection that answer a promise. */
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
