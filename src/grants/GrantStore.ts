import type { AccessGrant } from './AccessGrant';

/** A page of grants, newest first; `next` is where the following page starts. */
export interface GrantPage {
  grants: AccessGrant[];
  next?: string;
}

/** Access requests, grants and denials by id, party and resource. Every look-up is indexed. */
export interface GrantStore {
  insert: (grant: AccessGrant) => Promise<void>;
  findById: (id: string) => Promise<AccessGrant | undefined>;
  /**
   * Grants (no requests or denials) given to this recipient that name one of these URIs, revoked and expired ones
   * left out.
   */
  listUsable: (recipient: string, resources: string[], now: Date) => Promise<AccessGrant[]>;
  /** All grants on exactly this resource, whatever their status, newest first; of one recipient when given. */
  listByResource: (resource: string, recipient?: string) => Promise<AccessGrant[]>;
  /** The same for many resources in one query. */
  listByResources: (resources: string[], recipient?: string) => Promise<AccessGrant[]>;
  /** Sets `revokedAt` when it is not set yet, and answers the grant as it is then. */
  revoke: (id: string, at: Date) => Promise<AccessGrant | undefined>;
  /**
   * Revokes all that a WebID gave, and invalidates all that it received, when the WebID is erased. Answers the revoked
   * ones.
   */
  endAllOf: (webId: string, at: Date) => Promise<AccessGrant[]>;
}
