import { sql } from 'kysely';
import type { Database } from '../schema';

/** Forgets which records of sources the citizens shared who were erased by earlier versions. */
export async function up(trx: Database): Promise<void> {
  await sql.raw(`update shares set record_id = id, version = '', digest = ''
    where not exists (select 1 from citizens where citizens.id = shares.citizen_id)`).execute(trx);
}
