import { sql } from 'kysely';
import type { Clock } from '../platform/clock';
import type { Engine, OpenDatabase } from './database/engine';
import * as accessVersion from './migrations/2026-11-21-access-version';
import * as activity from './migrations/2026-11-23-activity';
import * as createPods from './migrations/2026-11-21-create-pods';
import * as createRecords from './migrations/2026-11-21-create-records';
import * as currentKeys from './migrations/2026-11-21-current-keys';
import * as endingsOfGrants from './migrations/2026-11-23-endings-of-grants';
import * as erasures from './migrations/2026-11-21-erasures';
import * as guessesByCaller from './migrations/2026-11-22-guesses-by-caller';
import * as absentCopies from './migrations/2026-11-28-absent-copies';
import * as activityReads from './migrations/2026-11-28-activity-reads';
import * as erasedShares from './migrations/2026-11-28-erased-shares';
import * as expectedPods from './migrations/2026-11-27-expected-pods';
import * as grantsByControl from './migrations/2026-11-22-grants-by-control';
import * as endedTokens from './migrations/2026-11-22-ended-tokens';
import * as invalidCopies from './migrations/2026-11-28-invalid-copies';
import * as invitations from './migrations/2026-11-22-invitations';
import * as listGrants from './migrations/2026-11-21-list-grants';
import * as originChecks from './migrations/2026-11-22-origin-checks';
import * as ownWebIds from './migrations/2026-11-22-own-webids';
import * as planContacts from './migrations/2026-11-23-plan-contacts';
import * as planLimits from './migrations/2026-11-23-plan-limits';
import * as planLists from './migrations/2026-11-23-plan-lists';
import * as planMapRequests from './migrations/2026-11-23-plan-map-requests';
import * as planMunicipalities from './migrations/2026-11-23-plan-municipalities';
import * as planOpenReferences from './migrations/2026-11-23-plan-open-references';
import * as planPackages from './migrations/2026-11-23-plan-packages';
import * as planRequests from './migrations/2026-11-23-plan-requests';
import * as planSearches from './migrations/2026-11-23-plan-searches';
import * as podRevisions from './migrations/2026-11-22-pod-revisions';
import * as serverSecrets from './migrations/2026-11-22-server-secrets';
import * as suspensions from './migrations/2026-11-21-suspensions';
import * as copiesToJudge from './migrations/2026-11-23-copies-to-judge';
import * as events from './migrations/2026-11-23-events';
import * as eventsByArrival from './migrations/2026-11-26-events-by-arrival';
import * as subscriptions from './migrations/2026-11-23-subscriptions';
import * as proofsByKey from './migrations/2026-11-23-proofs-by-key';
import * as sweeps from './migrations/2026-11-23-sweeps';
import * as stateOfGrantEntries from './migrations/2026-11-21-state-of-grant-entries';
import type { Database } from './schema';

/** A change of the schema, never edited after its release. */
export interface Migration {
  up: (trx: Database, engine: Engine) => Promise<void>;
}

/** In the order they run. New ones go to the end. */
const migrations: [name: string, migration: Migration][] = [
  [ '2026-11-21-create-records', createRecords ],
  [ '2026-11-21-list-grants', listGrants ],
  [ '2026-11-21-suspensions', suspensions ],
  [ '2026-11-21-state-of-grant-entries', stateOfGrantEntries ],
  [ '2026-11-21-create-pods', createPods ],
  [ '2026-11-21-current-keys', currentKeys ],
  [ '2026-11-21-erasures', erasures ],
  [ '2026-11-21-access-version', accessVersion ],
  [ '2026-11-22-server-secrets', serverSecrets ],
  [ '2026-11-22-grants-by-control', grantsByControl ],
  [ '2026-11-22-ended-tokens', endedTokens ],
  [ '2026-11-22-pod-revisions', podRevisions ],
  [ '2026-11-22-guesses-by-caller', guessesByCaller ],
  [ '2026-11-22-origin-checks', originChecks ],
  [ '2026-11-22-invitations', invitations ],
  [ '2026-11-22-own-webids', ownWebIds ],
  [ '2026-11-23-sweeps', sweeps ],
  [ '2026-11-23-endings-of-grants', endingsOfGrants ],
  [ '2026-11-23-events', events ],
  [ '2026-11-23-plan-requests', planRequests ],
  [ '2026-11-23-copies-to-judge', copiesToJudge ],
  [ '2026-11-23-plan-map-requests', planMapRequests ],
  [ '2026-11-23-activity', activity ],
  [ '2026-11-23-subscriptions', subscriptions ],
  [ '2026-11-23-plan-municipalities', planMunicipalities ],
  [ '2026-11-23-proofs-by-key', proofsByKey ],
  [ '2026-11-23-plan-packages', planPackages ],
  [ '2026-11-23-plan-contacts', planContacts ],
  [ '2026-11-23-plan-lists', planLists ],
  [ '2026-11-23-plan-searches', planSearches ],
  [ '2026-11-23-plan-limits', planLimits ],
  [ '2026-11-23-plan-open-references', planOpenReferences ],
  [ '2026-11-26-events-by-arrival', eventsByArrival ],
  [ '2026-11-27-expected-pods', expectedPods ],
  [ '2026-11-28-erased-shares', erasedShares ],
  [ '2026-11-28-invalid-copies', invalidCopies ],
  [ '2026-11-28-absent-copies', absentCopies ],
  [ '2026-11-28-activity-reads', activityReads ],
];

/** Prefix of an entry among the names of migrations while the records are an incomplete copy. */
const unfinished = 'unfinished copy of ';
/** Stands for the original in the mark of an incomplete copy into which no row has been copied yet. */
export const nothingYet = 'nothing yet';

/**
 * Updates the schema, in one transaction and under a lock: when several processes start, one does it.
 *
 * @param database - Database of the records.
 * @param clock - Clock.
 * @param isCopy - True to mark new records as an incomplete copy, of {@link nothingYet}.
 *
 * @throws Error when a later version of this package wrote the records, or they are an incomplete copy.
 */
export async function migrate(database: OpenDatabase, clock: Clock, isCopy = false): Promise<void> {
  const { db, engine } = database;
  await engine.unboundedly(async(): Promise<void> => db.transaction().execute(async(trx): Promise<void> => {
    await engine.lockStart?.(trx);
    const done = await listDone(trx, engine);
    refuseUnfinished(done);
    const unknown = done.find((name): boolean => !migrations.some(([ known ]): boolean => known === name));
    if (unknown) {
      throw new Error(`--records: these records were written by a later version (${unknown})`);
    }
    for (const [ name, migration ] of migrations) {
      if (!done.includes(name)) {
        await migration.up(trx, engine);
        await trx.insertInto('migrations').values({ name, runAt: clock().getTime() }).execute();
      }
    }
    if (isCopy && done.length === 0) {
      await markUnfinished({ ...database, db: trx }, nothingYet, clock);
    }
  }));
}

/**
 * Ensures that the schema is up to date, without changing anything.
 *
 * @throws Error when there are no records, or another version of this package wrote them.
 */
export async function requireMigrated({ db }: OpenDatabase): Promise<void> {
  const done = await db.selectFrom('migrations').select('name').execute().catch((): never => {
    throw new Error('--records: there are no records of this service here');
  });
  const names = new Set(done.map(({ name }): string => name));
  refuseUnfinished([ ...names ]);
  if (migrations.some(([ name ]): boolean => !names.has(name))) {
    throw new Error('--records: these records are of an earlier version: start the server once');
  }
  if (names.size > migrations.length) {
    throw new Error('--records: these records were written by a later version');
  }
}

/** Returns which records an incomplete copy is of; `undefined` when the records are not an incomplete copy. */
export async function findUnfinished({ db, engine }: OpenDatabase): Promise<string | undefined> {
  const names = await listDone(db, engine);
  return names.find((name): boolean => name.startsWith(unfinished))?.slice(unfinished.length);
}

/** Marks records as an incomplete copy, which nothing opens until {@link markFinished}. */
export async function markUnfinished({ db }: OpenDatabase, original: string, clock: Clock): Promise<void> {
  await db.insertInto('migrations').values({ name: `${unfinished}${original}`, runAt: clock().getTime() }).execute();
}

/** Removes that mark: from then on the records are like any others. */
export async function markFinished({ db }: OpenDatabase): Promise<void> {
  await db.deleteFrom('migrations').where('name', 'like', `${unfinished}%`).execute();
}

function refuseUnfinished(names: string[]): void {
  if (names.some((name): boolean => name.startsWith(unfinished))) {
    throw new Error('--records: a move to these records is not finished: run css-data-sharing move again');
  }
}

async function listDone(trx: Database, engine: Engine): Promise<string[]> {
  await sql.raw(`create table if not exists migrations (name ${engine.text} primary key, run_at bigint not null)`)
    .execute(trx);
  const rows = await trx.selectFrom('migrations').select('name').execute();
  return rows.map(({ name }): string => name);
}
