import type { CompiledQuery } from 'kysely';
import type { Database } from '../schema';
import type { Engine } from './engine';
import { Gathering } from './Gathering';
import { prepared } from './prepared';

type Query = CompiledQuery;
type Row = Record<string, unknown>;

/** A question: a query with its parameters. */
interface Asked {
  query: Query;
  parameters: unknown[];
}

/** The look-ups of one query in a shared statement, and the places of their answers. */
interface Kind {
  query: Query;
  lists: unknown[][];
  places: number[];
}

/** A row of a shared statement, with its kind and the list of values that it answers. */
interface Placed {
  kind: number;
  askedAs: number;
  row: Row;
}

/**
 * Lets look-ups made at the same time share statements: frequent ones share one, whatever their queries; others share
 * one with look-ups of the same query.
 */
export class SharedLookUps {
  private static readonly byDatabase = new WeakMap<Database, SharedLookUps>();

  private readonly frequent = this.newGathering();
  private readonly others = new WeakMap<Query, Gathering<Asked, unknown[]>>();
  /** Numbers of queries, by which they are sorted. */
  private readonly numbers = new Map<Query, number>();
  /** Statements by the numbers of their queries. */
  private readonly statements = new Map<string, Query>();

  private constructor(
    private readonly db: Database,
    private readonly forMany: NonNullable<Engine['forMany']>,
  ) {}

  /** Returns the instance for a database. */
  public static of(db: Database, forMany: NonNullable<Engine['forMany']>): SharedLookUps {
    let found = SharedLookUps.byDatabase.get(db);
    if (!found) {
      found = new SharedLookUps(db, forMany);
      SharedLookUps.byDatabase.set(db, found);
    }
    return found;
  }

  /**
   * Returns the rows of a query for these parameters.
   *
   * @param query - The same object each time.
   * @param parameters - As the database takes them.
   * @param isFrequent - True when other queries may share its statement: its columns must be texts and numbers.
   */
  public async all<TRow>(query: CompiledQuery<TRow>, parameters: unknown[], isFrequent: boolean): Promise<TRow[]> {
    const gathering = isFrequent ? this.frequent : this.gatheringOf(query);
    // Look-ups with different types of rows are gathered; each gets the rows of its own query.
    return await gathering.ask({ query, parameters }) as TRow[];
  }

  private gatheringOf(query: Query): Gathering<Asked, unknown[]> {
    let gathering = this.others.get(query);
    if (!gathering) {
      gathering = this.newGathering();
      this.others.set(query, gathering);
    }
    return gathering;
  }

  private newGathering(): Gathering<Asked, unknown[]> {
    return new Gathering<Asked, unknown[]>(async(asked): Promise<unknown[][]> => this.run(asked));
  }

  private async run(asked: Asked[]): Promise<unknown[][]> {
    if (asked.length === 1) {
      const [{ query, parameters }] = asked;
      return [ (await this.db.executeQuery({ ...query, parameters })).rows ];
    }
    const kinds = this.kindsOf(asked);
    const answers = asked.map((): unknown[] => []);
    if (kinds.length === 1) {
      await this.runOne(kinds[0], answers);
    } else {
      await this.runSome(kinds, answers);
    }
    return answers;
  }

  private kindsOf(asked: Asked[]): Kind[] {
    const kinds = new Map<Query, Kind>();
    for (const [ place, { parameters, query }] of asked.entries()) {
      const kind = kinds.get(query) ?? { query, lists: [], places: []};
      kinds.set(query, kind);
      kind.lists.push(parameters);
      kind.places.push(place);
    }
    return [ ...kinds.values() ].sort((left, right) => this.numberOf(left.query) - this.numberOf(right.query));
  }

  private async runOne({ lists, places, query }: Kind, answers: unknown[][]): Promise<void> {
    const statement = this.statement(String(this.numberOf(query)), query, () =>
      `select cast(asked.place as integer) as asked_as, found.* from ${this.forMany(query.sql, lists[0], 1)}`);
    const { rows } = await this.db.executeQuery<Row & { askedAs: number }>({
      ...statement,
      parameters: [ JSON.stringify(lists) ],
    });
    for (const { askedAs, ...row } of rows) {
      // Without `askedAs`: rows are compared, and must equal those of a look-up that ran alone.
      answers[places[askedAs - 1]].push(row);
    }
  }

  /** Runs several queries in one statement. Their columns differ, so each row is returned as JSON. */
  private async runSome(kinds: Kind[], answers: unknown[][]): Promise<void> {
    const name = kinds.map(({ query }): number => this.numberOf(query)).join(' ');
    const statement = this.statement(name, kinds[0].query, () => kinds.map(({ lists, query }, index): string =>
      `select ${index} as kind, cast(asked.place as integer) as asked_as, row_to_json(found) as row ` +
      `from ${this.forMany(query.sql, lists[0], index + 1)}`).join(' union all '));
    const parameters = kinds.map(({ lists }): string => JSON.stringify(lists));
    const { rows } = await this.db.executeQuery<Placed>({ ...statement, parameters });
    for (const { askedAs, kind, row } of rows) {
      answers[kinds[kind].places[askedAs - 1]].push(row);
    }
  }

  private numberOf(query: Query): number {
    let number = this.numbers.get(query);
    if (number === undefined) {
      number = this.numbers.size;
      this.numbers.set(query, number);
    }
    return number;
  }

  /** Returns a statement, whose text is made once. */
  private statement(name: string, like: Query, write: () => string): Query {
    let statement = this.statements.get(name);
    if (!statement) {
      statement = prepared({ ...like, sql: write() });
      this.statements.set(name, statement);
    }
    return statement;
  }
}
