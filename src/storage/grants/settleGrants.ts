import { sql } from 'kysely';
import type { NotNull } from 'kysely';
import type { NewEvent } from '../../events/Event';
import { accessEvents } from '../../grants/accessEvents';
import type { GrantFilter } from '../../grants/GrantStore';
import { toDate } from '../columns';
import { atomically } from '../database/engine';
import type { Engine } from '../database/engine';
import { LookUp } from '../database/LookUp';
import type { Database } from '../schema';
import { setEntries } from './grantEntries';
import { toTerms } from './SqlUsableGrants';

/** Raises events in the transaction that causes them. */
export interface EventsIn {
  raiseIn: (trx: Database, events: readonly NewEvent[]) => Promise<void>;
}

/** Dependencies of {@link settle}. */
export interface SettledGrants {
  db: Database;
  engine: Engine;
  events: EventsIn;
}

/** Statuses that depend on expiry. */
const expiring: ReadonlySet<GrantFilter['status']> = new Set([ 'ACTIVE', 'Active', 'EXPIRED', 'Expired', 'Pending' ]);
const openAndEnded = new LookUp(({ db }, now: number) =>
  db.selectFrom('accessGrants').select('id')
    .where('state', '=', sql.lit('open'))
    .where('expiresAt', '<=', now)
    .limit(sql.lit(1)));
const settledAtOnce = 1000;
const maxTimesSettled = 5;

/**
 * Marks grants that have expired, at most `most` of them, and raises the event of each: only once, whichever process
 * does it. Returns the number of grants marked.
 */
export async function settle(grants: SettledGrants, now: Date, most: number): Promise<number> {
  const { db, engine, events } = grants;
  if (!await hasEnded(grants, now)) {
    return 0;
  }
  return atomically(db, async(trx): Promise<number> => {
    const ended = trx.selectFrom('accessGrants').selectAll()
      .where('state', '=', sql.lit('open'))
      .where('expiresAt', '<=', now.getTime())
      .$narrowType<{ expiresAt: NotNull }>()
      .orderBy('expiresAt')
      .limit(most);
    // Skips rows that another process is marking.
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
 * Marks expired grants before a list whose status depends on it, as many as one request has time for.
 *
 * @returns True when no expired grant is still recorded as open.
 */
export async function settleFor(grants: SettledGrants, { status, now }: GrantFilter): Promise<boolean> {
  let settled = expiring.has(status) ? settledAtOnce : 0;
  for (let times = 0; times < maxTimesSettled && settled === settledAtOnce; times += 1) {
    settled = await settle(grants, now, settledAtOnce);
  }
  return settled < settledAtOnce;
}

async function hasEnded({ db, engine }: SettledGrants, now: Date): Promise<boolean> {
  return await openAndEnded.first(db, engine, now.getTime()) !== undefined;
}
