import type { WebId } from '../platform/webId';
import type { AccessMode, GrantStatus, GrantTerms } from './AccessGrant';
import { grantStatus } from './AccessGrant';

/** An access grant as `/v1` returns it; times are ISO 8601 in UTC. */
export interface GrantRecord {
  /** The grant's URI, for `X-Access-Grant`. */
  id: string;
  status: GrantStatus;
  /** WebID of the resource owner. */
  owner: WebId;
  /** WebID of the grantee. */
  grantee: WebId | '';
  /** The requested resource; a client's grant may have more. */
  resource: string;
  mode: AccessMode[];
  /** Purpose IRIs. */
  purpose: string[];
  /** URI of the contract, or null for a grant without one. */
  contract: string | null;
  issuedAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
}

function iso(date: Date | undefined): string | null {
  return date?.toISOString() ?? null;
}

/**
 * Returns the record of a grant at a moment.
 *
 * @param resource - The requested resource of the grant: the first when left out.
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
