import type { WebId } from '../platform/webId';

/** Owners of all pods of this server, recorded by a decorator of CSS's pod store. */
export interface PodOwnerStore {
  /** Replaces the recorded owners of a pod. An empty list removes the pod. */
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
  /** Number of recorded pods. When it is 0, pods made before this service was enabled must be read in. */
  count: () => Promise<number>;
}
