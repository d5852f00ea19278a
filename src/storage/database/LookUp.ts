import type { CompiledQuery } from 'kysely';
import type { Database } from '../schema';
import type { Engine } from './engine';
import { Gathering } from './Gathering';
import { prepared } from './prepared';
import type { Compilable } from './Statement';

/** Rows of one statement that ran for many, with the place of the one they are for. */
type Placed<TRow> = TRow & { askedAs?: number };

/**
 * A look-up that nearly every request makes: its text is made once, and only its values change.
 *
 * Outside of transactions it sees what was last committed, by whichever process; inside of one, what that one sees. On
 * PostgreSQL, requests that ask for the same at the same time are answered by one statement.
 */
export class LookUp<TValues extends (string | number | readonly string[])[], TRow> {
  private readonly compiled = new WeakMap<Engine, CompiledQuery<TRow>>();
  private readonly gatherings = new WeakMap<Database, Gathering<unknown[], TRow[]>>();

  /**
   * @param query - Builds the query, with the first values it is asked for. Its parameters must be the values in their
   * order, and nothing else.
   * @param decides - Whether it asks nothing but the tables that decide on access, whose changes are numbered (see the
   * migration `access-version`): what was read is kept for as long as nobody has changed them.
   */
  public constructor(
    private readonly query: (on: { db: Database; engine: Engine }, ...values: TValues) => Compilable<TRow>,
    private readonly decides = false,
  ) {}

  /** The rows for these values: not to be changed. */
  public async all(db: Database, engine: Engine, ...values: TValues): Promise<TRow[]> {
    const query = this.compile(db, engine, values);
    const parameters = values.map((value): unknown => typeof value === 'object' ? engine.list(value) : value);
    if (!db.isTransaction && engine.forMany) {
      return this.gather(db, query, engine.forMany).ask(parameters);
    }
    const rows = db.isTransaction ? undefined : engine.readCommitted?.<TRow>(query.sql, parameters, this.decides);
    return rows ?? (await db.executeQuery<TRow>({ ...query, parameters })).rows;
  }

  /** The first row for these values. */
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

  private gather(
    db: Database,
    query: CompiledQuery<TRow>,
    forMany: NonNullable<Engine['forMany']>,
  ): Gathering<unknown[], TRow[]> {
    let gathering = this.gatherings.get(db);
    if (!gathering) {
      let together: CompiledQuery<Placed<TRow>> | undefined;
      gathering = new Gathering(async(asked): Promise<TRow[][]> => {
        if (asked.length === 1) {
          return [ (await db.executeQuery<TRow>({ ...query, parameters: asked[0] })).rows ];
        }
        together ??= prepared({ ...query as CompiledQuery<Placed<TRow>>, sql: forMany(query.sql, asked[0]) });
        const { rows } = await db.executeQuery<Placed<TRow>>({ ...together, parameters: [ JSON.stringify(asked) ]});
        const answers = asked.map((): TRow[] => []);
        for (const row of rows) {
          const place = row.askedAs! - 1;
          // A row is the same as when it is asked for alone: rows are compared.
          delete row.askedAs;
          answers[place].push(row);
        }
        return answers;
      });
      this.gatherings.set(db, gathering);
    }
    return gathering;
  }
}
