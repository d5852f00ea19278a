import type { CompiledQuery } from 'kysely';
import type { Database } from '../schema';
import type { Engine } from './engine';
import { prepared } from './prepared';
import { SharedLookUps } from './SharedLookUps';
import type { Compilable } from './Statement';

/** How a look-up is used. */
export interface LookUpUse {
  /**
   * True when the query reads only the tables that decide on access, whose changes are numbered (see the migration
   * `access-version`): its rows are cached until one of them changes.
   */
  decides?: boolean;
  /** True for look-ups that most requests make and whose rows have only texts and numbers: they share statements. */
  isFrequent?: boolean;
}

/**
 * A look-up that nearly every request makes: its text is made once, and only its values change.
 *
 * Outside of transactions it sees the last commit of any process; within one, what the transaction sees. On PostgreSQL,
 * one statement serves all requests that ask at the same time.
 */
export class LookUp<TValues extends (string | number | readonly string[])[], TRow> {
  private readonly compiled = new WeakMap<Engine, CompiledQuery<TRow>>();
  private readonly decides: boolean;
  private readonly isFrequent: boolean;

  /**
   * @param query - Builds the query, with the first values it is asked for. Its parameters must be exactly the values,
   * in order.
   * @param use - How it is used.
   */
  public constructor(
    private readonly query: (on: { db: Database; engine: Engine }, ...values: TValues) => Compilable<TRow>,
    use: LookUpUse = {},
  ) {
    this.decides = use.decides === true;
    this.isFrequent = use.isFrequent ?? this.decides;
  }

  /** Returns the rows for these values, which must not be changed. */
  public async all(db: Database, engine: Engine, ...values: TValues): Promise<TRow[]> {
    const query = this.compile(db, engine, values);
    const parameters = values.map((value): unknown => typeof value === 'object' ? engine.list(value) : value);
    if (!db.isTransaction && engine.forMany) {
      return SharedLookUps.of(db, engine.forMany).all(query, parameters, this.isFrequent);
    }
    const rows = db.isTransaction ? undefined : engine.readCommitted?.<TRow>(query.sql, parameters, this.decides);
    return rows ?? (await db.executeQuery<TRow>({ ...query, parameters })).rows;
  }

  /** Returns the first row for these values. */
  public async first(db: Database, engine: Engine, ...values: TValues): Promise<TRow | undefined> {
    return (await this.all(db, engine, ...values))[0];
  }

  private compile(db: Database, engine: Engine, values: TValues): CompiledQuery<TRow> {
    let query = this.compiled.get(engine);
    if (!query) {
      query = prepared(this.query({ db, engine }, ...values).compile());
      this.compiled.set(engine, query);
    }
    return query;
  }
}
