import { sql } from 'kysely';
import type { RawBuilder, SqlBool } from 'kysely';
import type { Database } from '../schema';
import { parseOwn } from '../../platform/ownJson';
import type { Vault } from './Vault';

/** The place of what a plan request says. */
export function planRequestPlace(id: string): string {
  return `plan_requests/${id}`;
}

/** The place of the settings of an operator's zone. */
export function planZonePlace(id: string): string {
  return `plan_una_zones/${id}`;
}

/** The reference of a plan request, as its row has it. */
export function planReference(vault: Vault, reference: string): string {
  return vault.blindIndex('plan-reference', reference);
}

/** The same under every secret that a row may be under. */
export async function planReferences(vault: Vault, db: Database, reference: string): Promise<string[]> {
  await vault.findsNewKeys(db);
  return vault.blindIndexes('plan-reference', reference);
}

/** Opens sealed JSON; what an earlier version wrote is in clear. */
export async function openJson<T>(vault: Vault, db: Database, place: string, text: string): Promise<T> {
  return parseOwn(isClear(text) ? text : (await vault.decrypt(db, place, text)).toString());
}

/** Seals JSON for one place. */
export function sealJson(vault: Vault, place: string, value: unknown): string {
  return vault.encrypt(place, Buffer.from(JSON.stringify(value)));
}

/** JSON of an object, which an earlier version wrote: nothing that is sealed begins so. */
export function isClear(text: string): boolean {
  return text.startsWith('{');
}

/** The same of a column: in the words of the index that finds such rows (see the migration `plan-contacts`). */
export function isClearIn(column: 'content' | 'settings'): RawBuilder<SqlBool> {
  return sql<SqlBool>`substr(${sql.ref(column)}, 1, 1) = '{'`;
}
