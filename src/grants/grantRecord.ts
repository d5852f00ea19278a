import type { WebId } from '../platform/webId';
import type { AccessMode, GrantStatus, GrantTerms } from './AccessGrant';
import { grantStatus } from './AccessGrant';

/** An access grant as `/v1` answers it; times are ISO 8601 in UTC. */
export interface GrantRecord {
  /** The grant's URI: what `X-Access-Grant` takes. */
  id: string;
  status: GrantStatus;
  /** WebID of who gave it. */
  owner: WebId;
  /** WebID of who it was given to. */
  grantee: WebId | '';
  /** The resource it was asked for; a client's grant may have more. */
  resource: string;
  mode: AccessMode[];
  /** Purpose IRIs. */
  purpose: string[];
  /** URI of the contract, or null for a grant that was made without one. */
  contract: string | null;
  issuedAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
}

function iso(date: Date | undefined): string | null {
  return date?.toISOString() ?? null;
}

/**
 * The record of a grant, as it is at a moment.
 *
 * @param resource - Which of its resources was asked for: the first when left out.
 */
export function grantRecord(grant: GrantTerms, now: Date, resource = grant.resources[0]): GrantRecord {
  return {
    id: grant.uri,
    status: grantStatus(grant, now),
    owner: grant.subject,
    grantee: grant.recipient,
    resource,
    mode: grant.modes,
    purpose: grant.purposes,
    contract: grant.contract ? new URL(`/v1/contracts/${grant.contract.id}`, grant.uri).href : null,
    issuedAt: grant.issuedAt.toISOString(),
    expiresAt: iso(grant.expiresAt),
    revokedAt: iso(grant.revokedAt),
  };
}
