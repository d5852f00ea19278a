import type { WebId } from '../platform/webId';
import type { AccessGrant, GrantKind, GrantStatus, GrantTerms } from './AccessGrant';

/** Status of a request, grant or denial, as clients filter by it: requests have the first five, others the rest. */
export type ListedStatus = 'Pending' | 'Granted' | 'Denied' | 'Canceled' | 'Expired' | 'Active' | 'Revoked';

/** How a request was answered. */
export type RequestOutcome = 'granted' | 'denied';

/** Conditions on requests, grants and denials. An absent member sets none. */
export interface GrantFilter {
  /** WebID of the caller: only credentials that it made or received are found. */
  party: WebId;
  kinds?: GrantKind[];
  /** As clients of access grants tell it, or as `/v1` does. */
  status?: GrantStatus | ListedStatus;
  /** WebID of who made it. */
  from?: string;
  /** WebID of who it is addressed to. */
  to?: string;
  /** One of its resources, exactly. */
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
  /** One of those that a page before answered; the first page when absent. */
  page?: string;
}

/** A request, grant or denial in a list: all else is in the credential. */
export type ListedGrant =
  Pick<AccessGrant, 'document' | 'expiresAt' | 'id' | 'invalidAt' | 'issuedAt' | 'kind' | 'revokedAt'>;

/** A grant that somebody presents. */
export interface PresentedGrant {
  terms: GrantTerms;
  /** True when its subject owns the pod that it is presented for. */
  isOfOwner: boolean;
}

/** A page of results, newest first, and the pages around it: absent where there are none. */
export interface ListedPage {
  grants: ListedGrant[];
  prev?: string;
  next?: string;
  /** Absent when nothing was found. */
  last?: string;
}

/** A page of terms, newest first; `next` leads to the following one. */
export interface TermsPage {
  grants: GrantTerms[];
  next?: string;
}

/** Grants that have something in common. */
export type GrantSelection = { contract: string } | { recipients: readonly WebId[] };

/** Numbers of grants, citizens and contracts. */
export interface GrantSummary {
  grants: number;
  /** WebIDs of those who gave them. */
  subjects: number;
  contracts: number;
}

/** Conditions on the resources that grants name. */
export interface NamedQuery {
  /** With a trailing slash. */
  podUrl: string;
  /**
   * WebIDs of those who gave the grants; or of who was given them, by who controlled the resource, and may use them.
   */
  by: { subjects: WebId[] } | { recipient: WebId };
  /** Only those that come after this URI. */
  after?: string;
  limit: number;
}

/** Grants as decisions on access look them up. Every look-up is indexed. */
export interface UsableGrants {
  /**
   * A grant that somebody presents for a resource, and whether its subject owns the pod: both as of one moment.
   *
   * @param podUrls - URIs that the pod of the resource may have.
   */
  findPresented: (id: string, podUrls: readonly string[]) => Promise<PresentedGrant | undefined>;
  /**
   * Grants (no requests or denials) given to this recipient that name one of these URIs, revoked and expired ones
   * left out. First those of subjects who controlled the resource when they stated them, newest first; then others.
   * Of the first at most 200, of the others at most 20 for each URI: anybody may state grants on anything.
   */
  listUsable: (recipient: WebId, resources: string[], now: Date) => Promise<GrantTerms[]>;
}

/** Access requests, grants and denials by id, party and resource. Every look-up is indexed. */
export interface GrantStore {
  /**
   * @param controlled - Which of its resources the subject controls, as far as is known: whoever decides about these
   * looks at the grant before those of others. All when left out.
   */
  insert: (grant: AccessGrant, controlled?: readonly string[]) => Promise<void>;
  findById: (id: string) => Promise<AccessGrant | undefined>;
  findTerms: (id: string) => Promise<GrantTerms | undefined>;
  /**
   * Grants on exactly these resources, whatever their status, newest first; of one recipient when given. For each
   * resource at most 100 of subjects who controlled it when they stated them, and 20 of others.
   */
  listByResources: (resources: string[], recipient?: WebId) => Promise<GrantTerms[]>;
  /**
   * The resources in a pod, and the pod itself, that grants name and that are no shared data, in the order of their
   * URIs. Revoked and expired grants count for who gave them.
   */
  listNamed: (query: NamedQuery) => Promise<string[]>;
  /**
   * A page of the requests, grants and denials that a WebID is party to. Takes as long whatever the number of all
   * that are stored.
   *
   * @throws ParameterInvalid when the page is none of ours.
   */
  list: (filter: GrantFilter, request: PageRequest) => Promise<ListedPage>;
  /** The same with what each is good for, without the credential, and the next page alone. */
  listTerms: (filter: GrantFilter, request: PageRequest) => Promise<TermsPage>;
  /**
   * Records how a request was answered; a later answer replaces an earlier one. `false`: there is no such request, or
   * it was canceled.
   */
  answer: (requestId: string, outcome: RequestOutcome) => Promise<boolean>;
  /**
   * Files those that have expired away from those that have not, so that no look-up has to pass over them. What is
   * found stays the same.
   *
   * @returns how many were filed: `most` when there may be more.
   */
  settle: (now: Date, most: number) => Promise<number>;
  /**
   * How many requests, grants and denials clients had made since a moment: those of one WebID, or with tokens of one
   * issuer. Counts no further than `most`.
   */
  countMade: (by: { subject: WebId } | { tokenIssuer: string }, since: Date, most: number) => Promise<number>;
  /** The recipients of all grants in force, each once. Reads every grant: for commands of the operator. */
  listRecipients: (now: Date) => Promise<WebId[]>;
  /** Counts the grants in force to any of these recipients, or under a contract. */
  summarise: (which: GrantSelection, now: Date) => Promise<GrantSummary>;
  /** Sets `revokedAt` when it is not set yet. Returns false when it was, by whichever node, or without a grant. */
  revoke: (id: string, at: Date) => Promise<boolean>;
  /**
   * Revokes all that a WebID gave, and invalidates all that it received, when the WebID is erased. Answers the revoked
   * ones.
   */
  endAllOf: (webId: WebId, at: Date) => Promise<AccessGrant[]>;
  /**
   * Revokes what a WebID gave on resources that are all in a container, which goes. Returns the revoked ones.
   *
   * @param container - With a trailing slash.
   */
  endGivenIn: (webId: WebId, container: string, at: Date) => Promise<AccessGrant[]>;
}
