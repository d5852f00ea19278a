import type { WebId } from '../platform/webId';

/** Owners of all pods of this server, recorded by a decorator of CSS's pod store. */
export interface PodOwnerStore {
  /** Replaces the recorded owners of a pod, which is then no longer expected. An empty list removes the pod. */
  set: (podUrl: string, webIds: string[]) => Promise<void>;
  /** Lists the URLs of the pods that this WebID owns. */
  podsOf: (webId: WebId) => Promise<string[]>;
  /** Lists the WebIDs that own one of these pods. */
  ownersOfAny: (podUrls: string[]) => Promise<string[]>;
  /** Checks whether this WebID owns any pod. */
  ownsAny: (webId: WebId) => Promise<boolean>;
  /** Checks whether this WebID owns one of these pods. */
  isOwnerOfAny: (webId: WebId, podUrls: string[]) => Promise<boolean>;
  /** Checks whether the owners of this pod are recorded. */
  has: (podUrl: string) => Promise<boolean>;
  /** Notes that a pod is being made, until its owners are set. */
  expect: (podUrl: string, since: Date) => Promise<void>;
  /** Lists pods that have been expected since before this time, oldest first, a thousand at most. */
  listExpected: (before: Date) => Promise<string[]>;
  /** Forgets that a pod was expected. */
  forgetExpected: (podUrl: string) => Promise<void>;
  /** Returns when all accounts were last searched for pods; undefined when this service is new here. */
  searchedAt: () => Promise<Date | undefined>;
  /** Notes that all accounts have been searched. */
  endSearch: (at: Date) => Promise<void>;
}
