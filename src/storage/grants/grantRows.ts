import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { AccessGrant } from '../../grants/AccessGrant';
import { grantStatus } from '../../grants/AccessGrant';
import type { ListedGrant } from '../../grants/GrantStore';
import { toTime } from '../columns';
import type { AccessGrantTable, GrantState } from '../schema';
import { datesOf, toTerms } from './SqlUsableGrants';
import type { GrantDates, TermsRow } from './SqlUsableGrants';

/** A grant, and since when its recipient and its contract are suspended. */
export type GrantRow = TermsRow & { document: string };

/** Columns of a list. */
export type ListedRow = Pick<AccessGrantTable, 'document' | 'id' | 'kind' | keyof GrantDates>;

type Changes = { state: RawBuilder<GrantState> } & Partial<Pick<AccessGrantTable, 'invalidAt' | 'revokedAt'>>;

const states = { ACTIVE: 'open', EXPIRED: 'lapsed', INVALID: 'invalid', REVOKED: 'revoked' } as const;

/** A new grant as it is stored. */
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

/** Columns of what is revoked at a moment. */
export function revokedAt(at: Date): Changes {
  const time = at.getTime();
  return { revokedAt: time, state: stateAfter(sql`${time}`, sql.ref('invalidAt')) };
}

/** Columns of what loses its meaning at a moment. */
export function invalidAt(at: Date): Changes {
  const time = at.getTime();
  return { invalidAt: time, state: stateAfter(sql.ref('revokedAt'), sql`${time}`) };
}

/** State of what is revoked or has lost its meaning: of a grant, what came first, as `grantStatus` has it. */
function stateAfter(revoked: RawBuilder<unknown>, invalid: RawBuilder<unknown>): RawBuilder<GrantState> {
  return sql<GrantState>`case
    when kind <> 'grant' then 'revoked'
    when ${revoked} <= coalesce(${invalid}, ${revoked}) and ${revoked} <= coalesce(expires_at, ${revoked})
      then 'revoked'
    when expires_at < coalesce(${revoked}, expires_at + 1) and expires_at <= coalesce(${invalid}, expires_at)
      then 'lapsed'
    else 'invalid' end`;
}

/** A stored grant with its credential. */
export function toGrant(row: GrantRow): AccessGrant {
  return { ...toTerms(row), document: row.document };
}

/** A stored grant as lists show it. */
export function toListed(row: ListedRow): ListedGrant {
  return { id: row.id, document: row.document, kind: row.kind, ...datesOf(row) };
}
