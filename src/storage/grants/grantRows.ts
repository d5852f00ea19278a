import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { AccessGrant } from '../../grants/AccessGrant';
import { grantStatus } from '../../grants/AccessGrant';
import type { ListedGrant } from '../../grants/GrantStore';
import { toTime } from '../columns';
import type { AccessGrantTable, GrantState } from '../schema';
import { datesOf, toTerms } from './SqlUsableGrants';
import type { GrantDates, TermsRow } from './SqlUsableGrants';

/** A grant, and when its recipient and its contract were suspended. */
export type GrantRow = TermsRow & { document: string };

/** Columns of a list. */
export type ListedRow = Pick<AccessGrantTable, 'document' | 'id' | 'kind' | keyof GrantDates>;

type Changes = { state: RawBuilder<GrantState> } & Partial<Pick<AccessGrantTable, 'invalidAt' | 'revokedAt'>>;

const states = { ACTIVE: 'open', EXPIRED: 'lapsed', INVALID: 'invalid', REVOKED: 'revoked' } as const;

/** Converts a new grant to its row. */
export function toRow(grant: AccessGrant): AccessGrantTable {
  return {
    id: grant.id,
    uri: grant.uri,
    kind: grant.kind,
    subject: grant.subject,
    recipient: grant.recipient,
    modes: JSON.stringify(grant.modes),
    resources: JSON.stringify(grant.resources),
    purposes: JSON.stringify(grant.purposes),
    inherit: Number(grant.inherit),
    contractId: grant.contract?.id ?? null,
    contractDigest: grant.contract?.digest ?? null,
    request: grant.request ?? null,
    statusListId: grant.status.listId,
    statusIndex: grant.status.index,
    issuedAt: grant.issuedAt.getTime(),
    expiresAt: toTime(grant.expiresAt),
    revokedAt: toTime(grant.revokedAt),
    invalidAt: toTime(grant.invalidAt),
    document: grant.document,
    state: stateOf(grant),
    createdAt: (grant.made?.at ?? grant.issuedAt).getTime(),
    tokenIssuer: grant.made?.tokenIssuer ?? null,
  };
}

function stateOf(grant: AccessGrant): GrantState {
  const end = grant.revokedAt ?? grant.invalidAt;
  if (!end || grant.kind !== 'grant') {
    return end ? 'revoked' : 'open';
  }
  return states[grantStatus(grant, end)];
}

/** Returns the columns to set when a grant is revoked. */
export function revokedAt(at: Date): Changes {
  const time = at.getTime();
  return { revokedAt: time, state: stateAfter(sql`${time}`, sql.ref('invalidAt')) };
}

/** Returns the columns to set when a grant becomes invalid. */
export function invalidAt(at: Date): Changes {
  const time = at.getTime();
  return { invalidAt: time, state: stateAfter(sql.ref('revokedAt'), sql`${time}`) };
}

/**
 * Returns the state after revocation or invalidation: whichever of the endings of a grant came first, as in
 * `grantStatus`.
 */
function stateAfter(revoked: RawBuilder<unknown>, invalid: RawBuilder<unknown>): RawBuilder<GrantState> {
  return sql<GrantState>`case
    when kind <> 'grant' then 'revoked'
    when ${revoked} <= coalesce(${invalid}, ${revoked}) and ${revoked} <= coalesce(expires_at, ${revoked})
      then 'revoked'
    when expires_at < coalesce(${revoked}, expires_at + 1) and expires_at <= coalesce(${invalid}, expires_at)
      then 'lapsed'
    else 'invalid' end`;
}

/** Converts a stored grant with its credential. */
export function toGrant(row: GrantRow): AccessGrant {
  return { ...toTerms(row), document: row.document };
}

/** Converts a stored grant for lists. */
export function toListed(row: ListedRow): ListedGrant {
  return { id: row.id, document: row.document, kind: row.kind, ...datesOf(row) };
}
