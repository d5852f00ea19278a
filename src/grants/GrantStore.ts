import type { WebId } from '../platform/webId';
import type { AccessGrant, GrantKind, GrantStatus, GrantTerms } from './AccessGrant';

/**
 * Status of a request, grant or denial as clients filter by it: the first five are for requests, the rest for others.
 */
export type ListedStatus = 'Pending' | 'Granted' | 'Denied' | 'Canceled' | 'Expired' | 'Active' | 'Revoked';

/** Outcome of an answered request. */
export type RequestOutcome = 'granted' | 'denied';

/** Filter for requests, grants and denials. An absent member sets no condition. */
export interface GrantFilter {
  /** WebID of the caller, who is a party to every result. */
  party: WebId;
  kinds?: GrantKind[];
  /** Status in the terms of access grant clients, or of `/v1`. */
  status?: GrantStatus | ListedStatus;
  /** WebID of its subject. */
  from?: string;
  /** WebID of its recipient. */
  to?: string;
  /** One of its resources, by exact URI. */
  resource?: string;
  /** One of its purposes. */
  purpose?: string;
  /** Id of the contract under which it was issued. */
  contract?: string;
  issuedSince?: Date;
  revokedSince?: Date;
  /** Moment for which statuses are computed. */
  now: Date;
}

/** One page of a list. */
export interface PageRequest {
  size: number;
  /** Cursor from an earlier page; absent for the first page. */
  page?: string;
}

/** A request, grant or denial in a list; the rest is in the credential. */
export type ListedGrant =
  Pick<AccessGrant, 'document' | 'expiresAt' | 'id' | 'invalidAt' | 'issuedAt' | 'kind' | 'revokedAt'>;

/** A grant that somebody presents. */
export interface PresentedGrant {
  terms: GrantTerms;
  /** True when its subject owns the pod for which it is presented. */
  isOfOwner: boolean;
}

/** A page of results, newest first, with cursors for the pages around it, absent where there are none. */
export interface ListedPage {
  grants: ListedGrant[];
  prev?: string;
  next?: string;
  /** Absent when nothing was found. */
  last?: string;
}

/** A page of terms, newest first; `next` is the cursor of the following page. */
export interface TermsPage {
  grants: GrantTerms[];
  next?: string;
}

/** Selects the grants of a contract or of some recipients. */
export type GrantSelection = { contract: string } | { recipients: readonly WebId[] };

/** Counts of grants, citizens and contracts. */
export interface GrantSummary {
  grants: number;
  /** Number of distinct subjects. */
  subjects: number;
  contracts: number;
}

/** Conditions on the named resources. */
export interface NamedQuery {
  /** With a trailing slash. */
  podUrl: string;
  /** The grants' subjects; or their recipient, for usable grants whose subject controlled the resource. */
  by: { subjects: WebId[] } | { recipient: WebId };
  /** Returns only URIs after this one. */
  after?: string;
  limit: number;
}

/** Grants for decisions on access. Every look-up is indexed. */
export interface UsableGrants {
  /**
   * Finds a presented grant, and whether its subject owns the pod, both as of one moment.
   *
   * @param podUrls - Possible URLs of the pod of the resource.
   */
  findPresented: (id: string, podUrls: readonly string[]) => Promise<PresentedGrant | undefined>;
  /**
   * Lists grants (no requests or denials) to this recipient that name one of these URIs, without revoked and expired
   * ones. Grants of subjects who controlled the resource when stating them come first, at most 200, newest first; then
   * others, at most 20 for each URI, because anybody may state grants on anything.
   */
  listUsable: (recipient: WebId, resources: string[], now: Date) => Promise<GrantTerms[]>;
  /** Finds the first of these grants that meets a condition. Looks up no more of them than that takes. */
  findUsable: (
    recipient: WebId,
    resources: string[],
    now: Date,
    isWanted: (grant: GrantTerms) => Promise<boolean>,
  ) => Promise<GrantTerms | undefined>;
}

/** Access requests, grants and denials by id, party and resource. Every look-up is indexed. */
export interface GrantStore {
  /**
   * @param controlled - The resources that the subject is known to control; all when left out. Decisions about these
   *   consider the grant before those of others.
   */
  insert: (grant: AccessGrant, controlled?: readonly string[]) => Promise<void>;
  findById: (id: string) => Promise<AccessGrant | undefined>;
  findTerms: (id: string) => Promise<GrantTerms | undefined>;
  /**
   * Lists grants on exactly these resources in any status, newest first, optionally of one recipient. For each resource
   * at most 100 of subjects who controlled it when stating them, and 20 of others.
   */
  listByResources: (resources: string[], recipient?: WebId) => Promise<GrantTerms[]>;
  /**
   * Lists grants by one subject on exactly these resources that have not ended at a moment, newest first: at most
   * 1,000, however many have ended. One that names several of the resources may be listed more than once.
   */
  listOpen: (resources: string[], subject: WebId, now: Date) => Promise<GrantTerms[]>;
  /** True when any grant on exactly these resources has not ended at a moment, however many have. */
  hasOpen: (resources: string[], now: Date) => Promise<boolean>;
  /**
   * Lists the resources in a pod, and the pod itself, that grants name and that are not shared data, in order of URI.
   * For subjects, revoked and expired grants count.
   */
  listNamed: (query: NamedQuery) => Promise<string[]>;
  /**
   * Lists a page of the requests, grants and denials to which a WebID is a party, in time that does not depend on the
   * number stored.
   *
   * @throws ParameterInvalid when the page cursor is not valid.
   */
  list: (filter: GrantFilter, request: PageRequest) => Promise<ListedPage>;
  /** Lists a page as {@link list} does, with the terms of each instead of the credential, and only the next page. */
  listTerms: (filter: GrantFilter, request: PageRequest) => Promise<TermsPage>;
  /**
   * Records the outcome of a request, replacing an earlier one. Returns false when the request does not exist or was
   * canceled.
   */
  answer: (requestId: string, outcome: RequestOutcome) => Promise<boolean>;
  /**
   * Marks grants that have expired, so that look-ups need not skip them. Does not change results.
   *
   * @returns Number of grants marked: `most` when there may be more.
   */
  settle: (now: Date, most: number) => Promise<number>;
  /**
   * Counts the requests, grants and denials stated by clients since a moment, by one WebID or with tokens of one
   * issuer. Stops counting at `most`.
   */
  countMade: (by: { subject: WebId } | { tokenIssuer: string }, since: Date, most: number) => Promise<number>;
  /** Lists the distinct recipients of all grants in force. Reads every grant: for operator commands. */
  listRecipients: (now: Date) => Promise<WebId[]>;
  /** Counts the grants in force to any of these recipients, or under a contract. */
  summarise: (which: GrantSelection, now: Date) => Promise<GrantSummary>;
  /** Sets `revokedAt`. Returns false when it is already set, by any node, or the grant does not exist. */
  revoke: (id: string, at: Date) => Promise<boolean>;
  /** On erasure of a WebID, revokes the grants it gave and invalidates those it received. Returns the revoked ones. */
  endAllOf: (webId: WebId, at: Date) => Promise<AccessGrant[]>;
  /**
   * Revokes the grants of a WebID whose resources are all inside a container to be removed. Returns the revoked ones.
   *
   * @param container - With a trailing slash.
   */
  endGivenIn: (webId: WebId, container: string, at: Date) => Promise<AccessGrant[]>;
}
