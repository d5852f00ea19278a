import { sql } from 'kysely';
import type { Database } from '../schema';

/** The first ending of a grant that was revoked or became invalid: see `grantStatus`. */
const ending = `case
  when revoked_at is not null and (invalid_at is null or revoked_at <= invalid_at)
    and (expires_at is null or revoked_at <= expires_at) then 'revoked'
  when expires_at is not null and (revoked_at is null or expires_at < revoked_at)
    and (invalid_at is null or expires_at <= invalid_at) then 'lapsed'
  else 'invalid' end`;

/**
 * Lets grants be listed by status and contract: the first ending of a grant becomes its state, and contracts have an
 * index. Rewrites every grant that has ended, once.
 */
export async function up(trx: Database): Promise<void> {
  const statements = [
    `update access_grants set state = ${ending} where kind = 'grant' and state = 'revoked'`,
    ...[ 'grant_resources', 'grant_purposes' ].map((table): string => `update ${table}
      set state = (select state from access_grants where id = grant_id) where kind = 'grant' and state = 'revoked'`),
    ...[ 'recipient', 'subject' ].map((party): string => `create index access_grants_by_${party}_contract
      on access_grants (${party}, contract_id, kind, state, issued_at, id, expires_at) where contract_id is not null`),
  ];
  for (const statement of statements) {
    await sql.raw(statement).execute(trx);
  }
}
