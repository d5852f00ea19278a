import type { AccessMode, GrantStatus, GrantTerms } from '../grants/AccessGrant';
import { grantStatus } from '../grants/AccessGrant';
import { originInvalidSince } from '../personal-data/invalidity';
import type { Share } from '../personal-data/ShareStore';
import type { PodResource } from '../platform/PodResource';
import { podResourceId } from '../pods/resourceUri';
import type { WebId } from '../platform/webId';

/** A grant on a resource, in a listing. */
export interface ResourceGrant {
  /** The grant's URI. */
  id: string;
  grantee: WebId | '';
  mode: AccessMode[];
  status: GrantStatus;
  expiresAt: string | null;
}

/** A resource in a listing; times are ISO 8601 in UTC. */
export interface ListedResource {
  /** Resource id of `/v1/pods/{podId}/resources/{resourceId}`. */
  id: string;
  uri: string;
  /** IRI of the data type; `null` for a resource without a contract. */
  type: string | null;
  contentType: string;
  /** Size in bytes; `null` when unknown. */
  size: number | null;
  etag: string;
  /** Time of first sharing; `null` for a resource without a contract. */
  created: string | null;
  modified: string;
  /** URI of the contract under which it was shared; `null` for a resource without one. */
  contract: string | null;
  /** Time from which its origin does not confirm it; shown to the owner only. */
  originInvalidSince?: string;
  accessGrants: ResourceGrant[];
}

/** Filter of a list of resources, with its pod. */
export interface ListQuery extends PageQuery {
  podId: string;
  /** Also lists resources without a contract that grants name. */
  all?: boolean;
}

/** Filter of a list of resources. */
export interface PageQuery {
  /** IRI of a data type. */
  type?: string;
  /** 1 to 200. */
  limit: number;
  /** Start of the page: `next` of the previous page. */
  cursor?: string;
}

/**
 * A page of the resources of a pod: shared ones first, newest first, then others by URI. `next` is the cursor of the
 * following page.
 */
export interface ResourcePage {
  podId: string;
  resources: ListedResource[];
  next?: string;
}

/** Returns the listing entry of a shared resource at a moment. */
export function listedResource(
  share: Share,
  found: PodResource,
  grants: GrantTerms[],
  { isOwner, now }: { isOwner: boolean; now: Date },
): ListedResource {
  const since = isOwner ? originInvalidSince(share, now) : undefined;
  return {
    id: share.id,
    uri: share.resource,
    type: share.dataType,
    contentType: found.contentType,
    size: Number.isFinite(found.size) ? found.size : share.size,
    etag: found.etag,
    created: share.createdAt.toISOString(),
    modified: found.modified.toISOString(),
    contract: new URL(`/v1/contracts/${share.contractId}`, share.resource).href,
    ...since && { originInvalidSince: since.toISOString() },
    accessGrants: grants.map((grant): ResourceGrant => listedGrant(grant, now)),
  };
}

/** Returns the listing entry of a resource without a contract at a moment. */
export function otherResource(
  podUrl: string,
  uri: string,
  found: PodResource,
  grants: GrantTerms[],
  now: Date,
): ListedResource {
  return {
    id: podResourceId(podUrl, uri),
    uri,
    type: null,
    contentType: found.contentType,
    size: Number.isFinite(found.size) ? found.size : null,
    etag: found.etag,
    created: null,
    modified: found.modified.toISOString(),
    contract: null,
    accessGrants: grants.map((grant): ResourceGrant => listedGrant(grant, now)),
  };
}

function listedGrant(grant: GrantTerms, now: Date): ResourceGrant {
  return {
    id: grant.uri,
    grantee: grant.recipient,
    mode: grant.modes,
    status: grantStatus(grant, now),
    expiresAt: grant.expiresAt?.toISOString() ?? null,
  };
}
