import { sql } from 'kysely';
import type { RawBuilder, SqlBool } from 'kysely';
import type { Database } from '../schema';
import { parseOwn } from '../../platform/ownJson';
import type { Vault } from './Vault';

/** Names the row of a plan request, to which its content is sealed. */
export function planRequestPlace(id: string): string {
  return `plan_requests/${id}`;
}

/** Names the row of an operator's zone, to which its settings are sealed. */
export function planZonePlace(id: string): string {
  return `plan_una_zones/${id}`;
}

/** Returns the blind index of a plan request's reference, as stored in its row. */
export function planReference(vault: Vault, reference: string): string {
  return vault.blindIndex('plan-reference', reference);
}

/** Returns that index under every secret that a row may be under. */
export async function planReferences(vault: Vault, db: Database, reference: string): Promise<string[]> {
  await vault.findsNewKeys(db);
  return vault.blindIndexes('plan-reference', reference);
}

/** Opens sealed JSON; an earlier version stored it unencrypted. */
export async function openJson<T>(vault: Vault, db: Database, place: string, text: string): Promise<T> {
  return parseOwn(isClear(text) ? text : (await vault.decrypt(db, place, text)).toString());
}

/** Seals JSON for one place. */
export function sealJson(vault: Vault, place: string, value: unknown): string {
  return vault.encrypt(place, Buffer.from(JSON.stringify(value)));
}

/** Checks for unencrypted JSON of an object, by an earlier version: sealed text never begins with a brace. */
function isClear(text: string): boolean {
  return text.startsWith('{');
}

/** Does the same for a column, in the words of the index that finds such rows (see the migration `plan-contacts`). */
export function isClearIn(column: 'content' | 'settings'): RawBuilder<SqlBool> {
  return sql<SqlBool>`substr(${sql.ref(column)}, 1, 1) = '{'`;
}
