import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import type { Activity, ActivityPage, ActivityQuery, ActivityStore } from '../../audit/Activity';
import { isActivity, isRead, readsOf } from '../../audit/Activity';
import type { AuditEvent } from '../../audit/AuditLog';
import { ParameterInvalid } from '../../problems';
import { toDate } from '../columns';
import type { Engine } from '../database/engine';
import { Statement } from '../database/Statement';
import { seal, unseal } from '../keys/Vault';
import type { ActivityTable, AuditRowTable, Database } from '../schema';
import type { AuditKey } from './AuditKeys';

/** Reads chained rows about citizens. */
export interface ActivityReader {
  findKey: (db: Database, citizenId: string) => Promise<AuditKey | undefined>;
  read: (row: AuditRowTable, key: AuditKey) => AuditEvent;
}

const cursorPlace = 'activity';

/** Makes the activity row for a row of the chain; none when the citizen is not shown that event. */
export function activityOf(event: AuditEvent, sequence: number, key: AuditKey | undefined): ActivityTable | undefined {
  if (!key?.citizenId || !isActivity(event)) {
    return;
  }
  return {
    sequence,
    keyId: key.id,
    reads: readCode(event, sequence, key),
    times: 1,
    lastAt: event.at.getTime(),
  };
}

/** Returns the code of reads that are shown as one, or of one that is shown alone; null for other events. */
function readCode(event: AuditEvent, sequence: number, { secret }: AuditKey): string | null {
  const reads = readsOf(event);
  if (reads !== undefined) {
    return createHmac('sha256', secret).update(`activity\0${reads}`).digest('base64url');
  }
  return isRead(event) ? `#${sequence}` : null;
}

/** Inserts activity rows; a repeated read is added to the count of the first. */
export class ActivityInsertion {
  private readonly statement: Statement<[string], unknown>;

  public constructor(engine: Engine) {
    this.statement = new Statement((db, rows: string) => db.insertInto('activity')
      .columns([ 'sequence', 'keyId', 'reads', 'times', 'lastAt' ])
      .expression(sql`select cast(value ->> 0 as bigint), value ->> 1, value ->> 2, cast(value ->> 3 as bigint),
        cast(value ->> 4 as bigint) from ${engine.elementsOf(rows)} where true`)
      .onConflict(conflict => conflict.columns([ 'keyId', 'reads' ]).doUpdateSet({
        times: sql<number>`activity.times + excluded.times`,
        lastAt: sql<number>`excluded.last_at`,
      })));
  }

  public async run(trx: Database, rows: ActivityTable[]): Promise<void> {
    if (rows.length > 0) {
      const merged = merge(rows).map(({ keyId, lastAt, reads, sequence, times }) =>
        [ sequence, keyId, reads, times, lastAt ]);
      await this.statement.run(trx, JSON.stringify(merged));
    }
  }
}

/** The activity of citizens: rows that point to those of the audit chain. */
export class SqlActivityStore implements ActivityStore {
  public constructor(
    private readonly db: Database,
    private readonly reader: ActivityReader,
  ) {}

  public async list(citizenId: string, { after, limit, reads }: ActivityQuery): Promise<ActivityPage> {
    const key = await this.reader.findKey(this.db, citizenId);
    const before = after === undefined ? undefined : readCursor(after, key);
    if (!key) {
      return { activities: []};
    }
    const page = activityPage(this.db, key.id, before, limit + 1);
    const rows = await (reads === true ? page.where('reads', 'is not', null) : page).execute();
    const shown = rows.slice(0, limit);
    const chained = await this.chained(shown);
    const last = shown.at(-1);
    return {
      activities: shown.flatMap(({ lastAt, sequence, times }): Activity[] => {
        const row = chained.get(sequence);
        return row ? [{ event: this.reader.read(row, key), count: times, lastAt: toDate(lastAt) }] : [];
      }),
      ...rows.length > limit && last && { next: seal(key.secret, cursorPlace, Buffer.from(String(last.sequence))) },
    };
  }

  /** Loads the rows of the chain that these point to, by sequence number. */
  private async chained(shown: { sequence: number }[]): Promise<Map<number, AuditRowTable>> {
    const rows = shown.length === 0 ?
        [] :
        await this.db.selectFrom('auditRows').selectAll()
          .where('sequence', 'in', shown.map(({ sequence }) => sequence))
          .execute();
    return new Map(rows.map((row): [number, AuditRowTable] => [ row.sequence, row ]));
  }
}

/** Selects a page of one citizen's rows from one index. */
// eslint-disable-next-line @typescript-eslint/explicit-function-return-type -- a query builder
export function activityPage(db: Database, keyId: string, before: number | undefined, limit: number) {
  const page = db.selectFrom('activity').select([ 'sequence', 'times', 'lastAt' ])
    .where('keyId', '=', keyId)
    .orderBy('sequence', 'desc')
    .limit(limit);
  return before === undefined ? page : page.where('sequence', '<', before);
}

/** Reads a cursor, which only this citizen's key opens. */
function readCursor(cursor: string, key: AuditKey | undefined): number {
  try {
    if (key) {
      return Number(unseal(key.secret, cursorPlace, cursor).toString());
    }
  } catch {
    // Not sealed with this key: refused below.
  }
  throw new ParameterInvalid('after is not a cursor that this operation gave you');
}

function merge(rows: ActivityTable[]): ActivityTable[] {
  const byReads = new Map<string, ActivityTable>();
  return rows.filter((row): boolean => {
    const name = `${row.keyId}\0${row.reads}`;
    const first = row.reads === null ? undefined : byReads.get(name);
    if (first) {
      first.times += row.times;
      first.lastAt = row.lastAt;
    } else {
      byReads.set(name, row);
    }
    return !first;
  });
}
