import type { CompiledQuery } from 'kysely';
import type { Database } from '../schema';
import { prepared } from './prepared';

/** A query of the builder, ready to be compiled. */
export interface Compilable<TRow> {
  compile: () => CompiledQuery<TRow>;
}

/** A parameter that databases accept. */
type Value = string | number | readonly string[] | null;

/**
 * A statement that many requests run: its text is made once, and only its values change. Building the text takes longer
 * than the database takes to run it.
 */
export class Statement<TValues extends Value[], TRow> {
  /** Compiled queries by dialect. */
  private readonly compiled = new WeakMap<object, CompiledQuery<TRow>>();

  /**
   * @param query - Builds the statement, with the first values it is run with. Its parameters must be exactly the
   * values, in order.
   */
  public constructor(private readonly query: (db: Database, ...values: TValues) => Compilable<TRow>) {}

  /** Runs it, within the transaction if `db` is one. Returns its rows, if any. */
  public async run(db: Database, ...values: TValues): Promise<TRow[]> {
    const dialect = db.getExecutor().adapter;
    let query = this.compiled.get(dialect);
    if (!query) {
      query = prepared(this.query(db, ...values).compile());
      this.compiled.set(dialect, query);
    }
    return (await db.executeQuery<TRow>({ ...query, parameters: values })).rows;
  }

  /** Runs it and returns the first row. */
  public async first(db: Database, ...values: TValues): Promise<TRow | undefined> {
    return (await this.run(db, ...values))[0];
  }
}

/** Inserts rows one at a time, for many requests. */
export class Insertion<TRow extends Record<keyof TRow, Value>> {
  /** Statements by the names of their columns. */
  private readonly statements = new Map<string, Statement<Value[], unknown>>();

  /** @param query - Builds the insertion of a row, whose values must be its only parameters. */
  public constructor(private readonly query: (db: Database, row: TRow) => Compilable<unknown>) {}

  /** Inserts a row. Every column must be present, if only as null. */
  public async run(db: Database, row: TRow): Promise<void> {
    const columns = Object.keys(row).join(' ');
    let statement = this.statements.get(columns);
    if (!statement) {
      statement = new Statement((on): Compilable<unknown> => this.query(on, row));
      this.statements.set(columns, statement);
    }
    await statement.run(db, ...Object.values<Value>(row));
  }
}
