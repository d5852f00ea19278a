import { sql } from 'kysely';
import type { AccessGrant } from '../../grants/AccessGrant';
import type { Engine } from '../database/engine';
import { Insertion } from '../database/Statement';
import type {
  AccessGrantTable,
  Database,
  GrantEntry,
  GrantPurposeTable,
  GrantResourceTable,
  GrantState,
} from '../schema';
import type { WebId } from '../../platform/webId';

const stateOfGrant = sql<GrantState>`(select state from access_grants where id = grant_id)`;
const tables = [ 'grantResources', 'grantPurposes' ] as const;
const resourceInsertion = new Insertion<GrantResourceTable>((db, row) => db.insertInto('grantResources').values(row));
const purposeInsertion = new Insertion<GrantPurposeTable>((db, row) => db.insertInto('grantPurposes').values(row));

/**
 * Adds the rows by which a new grant is looked up: one for each resource and each purpose.
 *
 * @param controlled - The resources that the subject controls now.
 */
export async function insertEntries(
  trx: Database,
  row: AccessGrantTable,
  { resources, purposes }: AccessGrant,
  controlled: readonly string[],
): Promise<void> {
  const entry = toEntry(row);
  for (const resource of new Set(resources)) {
    await resourceInsertion.run(trx, { ...entry, resource, controlled: Number(controlled.includes(resource)) });
  }
  for (const purpose of new Set(purposes)) {
    await purposeInsertion.run(trx, { ...entry, purpose });
  }
}

/** Copies the state of grants that have ended to their look-up rows, in the same transaction. */
export async function endEntries(trx: Database, engine: Engine, ids: string[]): Promise<void> {
  for (const table of tables) {
    await trx.updateTable(table).set({ state: stateOfGrant }).where(engine.isAnyOf('grantId', ids)).execute();
  }
}

/** Copies a new state of grants to their look-up rows, in the same transaction. */
export async function setEntries(trx: Database, engine: Engine, state: GrantState, ids: string[]): Promise<void> {
  for (const table of tables) {
    await trx.updateTable(table).set({ state }).where(engine.isAnyOf('grantId', ids)).execute();
  }
}

/** Copies the state of all grants to and from a WebID, which have ended. */
export async function endEntriesOf(trx: Database, webId: WebId): Promise<void> {
  for (const table of tables) {
    await trx.updateTable(table).set({ state: stateOfGrant })
      .where(entry => entry.or([ entry('subject', '=', webId), entry('recipient', '=', webId) ]))
      .execute();
  }
}

function toEntry({ id, subject, recipient, issuedAt, kind, state, expiresAt }: AccessGrantTable): GrantEntry {
  return { grantId: id, subject, recipient, issuedAt, kind, state, expiresAt };
}
