import { sql } from 'kysely';
import type { NotNull } from 'kysely';
import type { NewEvent } from '../../events/Event';
import { accessEvents } from '../../grants/accessEvents';
import type { GrantFilter } from '../../grants/GrantStore';
import { toDate } from '../columns';
import { atomically } from '../database/engine';
import type { Engine } from '../database/engine';
import type { Database } from '../schema';
import { setEntries } from './grantEntries';
import { toTerms } from './SqlUsableGrants';

/** Raises events in the transaction that causes them. */
export interface EventsIn {
  raiseIn: (trx: Database, events: readonly NewEvent[]) => Promise<void>;
}

/** Grants in the records, and where it is told that some have ended. */
export interface SettledGrants {
  db: Database;
  engine: Engine;
  events: EventsIn;
}

/** Statuses that depend on what has ended. */
const expiring: ReadonlySet<GrantFilter['status']> = new Set([ 'ACTIVE', 'Active', 'EXPIRED', 'Expired', 'Pending' ]);
const settledAtOnce = 1000;
const maxTimesSettled = 5;

/**
 * Files grants that have ended away from the open ones, `most` of them at once, and raises the event of each: whoever
 * files it, it is filed once. Answers how many.
 */
export async function settle({ db, engine, events }: SettledGrants, now: Date, most: number): Promise<number> {
  if (!await hasEnded(db, now)) {
    return 0;
  }
  return atomically(db, async(trx): Promise<number> => {
    const ended = trx.selectFrom('accessGrants').selectAll()
      .where('state', '=', sql.lit('open'))
      .where('expiresAt', '<=', now.getTime())
      .$narrowType<{ expiresAt: NotNull }>()
      .orderBy('expiresAt')
      .limit(most);
    // Rows that another process is settling are left to it.
    const rows = await (engine.name === 'postgres' ? ended.forUpdate().skipLocked() : ended).execute();
    const ids = rows.map(({ id }): string => id);
    await trx.updateTable('accessGrants').set({ state: 'expired' }).where(engine.isAnyOf('id', ids)).execute();
    await setEntries(trx, engine, 'expired', ids);
    await events.raiseIn(trx, rows.flatMap((row): NewEvent[] =>
      accessEvents('AccessExpired', toTerms(row), toDate(row.expiresAt))));
    return ids.length;
  });
}

/**
 * Before a list whose status depends on it: files what has ended, so much of it as one request may take.
 *
 * @returns whether none that has ended is among the open ones any more.
 */
export async function settleFor(grants: SettledGrants, { status, now }: GrantFilter): Promise<boolean> {
  let settled = expiring.has(status) ? settledAtOnce : 0;
  for (let times = 0; times < maxTimesSettled && settled === settledAtOnce; times += 1) {
    settled = await settle(grants, now, settledAtOnce);
  }
  return settled < settledAtOnce;
}

async function hasEnded(db: Database, now: Date): Promise<boolean> {
  const ended = await db.selectFrom('accessGrants').select('id')
    .where('state', '=', sql.lit('open'))
    .where('expiresAt', '<=', now.getTime())
    .limit(1)
    .execute();
  return ended.length > 0;
}
