import { setTimeout } from 'node:timers/promises';
import type BetterSqlite3 from 'better-sqlite3';
import {
  CompiledQuery,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type {
  DatabaseConnection,
  DatabaseIntrospector,
  Dialect,
  DialectAdapter,
  Driver,
  Kysely,
  LimitNode,
  QueryCompiler,
  QueryResult,
} from 'kysely';
import { codeOf } from '../../platform/errors';
import type { CommittedReader } from './CommittedReader';

/** Maximum prepared statements kept: enough for every query of the stores. */
const maxStatements = 256;

/** Longest wait of a statement for a lock of another process. */
const maxBusySeconds = 10;
const busyPauseMs = 10;

/** Longest wait of a call for the only connection: a longer one means that work in a transaction waits for itself. */
const maxWaitSeconds = 30;

/**
 * SQLite for Kysely: one connection, which callers use one after another, in order of arrival. Transactions take the
 * write lock when they begin, so that none fails because it read first.
 */
export class SqliteDialect implements Dialect {
  /**
   * @param file - Opened for writing.
   * @param reader - Closed with the file.
   */
  public constructor(
    private readonly file: BetterSqlite3.Database,
    private readonly reader?: CommittedReader,
  ) {}

  public createAdapter(): DialectAdapter {
    return new SqliteAdapter();
  }

  public createDriver(): Driver {
    return new SqliteDriver(this.file, this.reader);
  }

  public createIntrospector(db: Kysely<unknown>): DatabaseIntrospector {
    return new SqliteIntrospector(db);
  }

  public createQueryCompiler(): QueryCompiler {
    return new SteadyQueryCompiler();
  }
}

/** Makes limits a sum: SQLite plans a statement again for each new value when the limit is a bare parameter. */
class SteadyQueryCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    super.visitLimit(node);
    this.append(' + 0');
  }
}

class SqliteDriver implements Driver {
  private readonly connection: SqliteConnection;
  private readonly turns = new Turns();

  public constructor(
    private readonly file: BetterSqlite3.Database,
    private readonly reader?: CommittedReader,
  ) {
    this.connection = new SqliteConnection(file, reader);
  }

  public async init(): Promise<void> {
    // The file is open already.
  }

  public async acquireConnection(): Promise<DatabaseConnection> {
    await this.turns.take();
    return this.connection;
  }

  public async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await run(connection, 'begin immediate');
  }

  public async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await run(connection, 'commit');
  }

  public async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.file.inTransaction) {
      await run(connection, 'rollback');
    }
  }

  public async releaseConnection(): Promise<void> {
    this.turns.giveBack();
  }

  public async destroy(): Promise<void> {
    this.reader?.close();
    this.file.close();
  }
}

async function run(connection: DatabaseConnection, sql: string): Promise<void> {
  await connection.executeQuery(CompiledQuery.raw(sql));
}

class SqliteConnection implements DatabaseConnection {
  private readonly statements = new Map<string, BetterSqlite3.Statement>();

  public constructor(
    private readonly file: BetterSqlite3.Database,
    private readonly reader?: CommittedReader,
  ) {}

  /** Waits for other processes without blocking this one, as SQLite's own busy timeout would. */
  public async executeQuery<TRow>(query: CompiledQuery): Promise<QueryResult<TRow>> {
    const deadline = performance.now() + (maxBusySeconds * 1000);
    for (;;) {
      try {
        return this.execute(query);
      } catch (error: unknown) {
        if (!codeOf(error).startsWith('SQLITE_BUSY') || performance.now() > deadline) {
          throw error;
        }
      }
      await setTimeout(busyPauseMs);
    }
  }

  // eslint-disable-next-line require-yield -- nothing here streams
  public async* streamQuery<TRow>(): AsyncIterableIterator<QueryResult<TRow>> {
    throw new Error('Streaming is not supported');
  }

  private execute<TRow>({ sql, parameters }: CompiledQuery): QueryResult<TRow> {
    const statement = this.prepare(sql);
    try {
      // The text of a query and the type of its rows come from one builder.
      return statement.reader ?
          { rows: statement.all(...parameters) as TRow[] } :
          { rows: [], numAffectedRows: BigInt(statement.run(...parameters).changes) };
    } finally {
      // SQLite reports a commit as read-only.
      if (!statement.reader || !statement.readonly) {
        this.reader?.endMoment();
      }
    }
  }

  private prepare(sql: string): BetterSqlite3.Statement {
    let statement = this.statements.get(sql);
    if (!statement) {
      statement = this.file.prepare(sql);
      if (this.statements.size >= maxStatements) {
        this.statements.clear();
      }
      this.statements.set(sql, statement);
    }
    return statement;
  }
}

interface Turn {
  begin: () => void;
  timeout: NodeJS.Timeout;
}

/** Admits one caller at a time, in order of arrival. */
class Turns {
  private taken = false;
  private readonly waiting: Turn[] = [];

  public async take(): Promise<void> {
    if (!this.taken) {
      this.taken = true;
      return;
    }
    await new Promise<void>((resolve, reject): void => {
      const turn: Turn = { begin: resolve, timeout: globalThis.setTimeout((): void => {
        this.waiting.splice(this.waiting.indexOf(turn), 1);
        reject(new Error(`The records were busy for ${maxWaitSeconds} s: does a transaction use stores of another?`));
      }, maxWaitSeconds * 1000) };
      this.waiting.push(turn);
    });
  }

  public giveBack(): void {
    const next = this.waiting.shift();
    if (next) {
      clearTimeout(next.timeout);
      next.begin();
    } else {
      this.taken = false;
    }
  }
}
