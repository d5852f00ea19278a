import type { WebId } from '../platform/webId';

/** Owners of all pods of this server, recorded by a decorator of CSS's pod store. */
export interface PodOwnerStore {
  /** Replaces the owners of a pod, as the server has them. No owners: the pod is forgotten. */
  set: (podUrl: string, webIds: string[]) => Promise<void>;
  /** URLs of the pods that this WebID owns. */
  podsOf: (webId: WebId) => Promise<string[]>;
  /** The WebIDs that own one of these pods. */
  ownersOfAny: (podUrls: string[]) => Promise<string[]>;
  /** True when this WebID owns a pod. */
  ownsAny: (webId: WebId) => Promise<boolean>;
  /** Checks whether one of these pods is owned by this WebID. */
  isOwnerOfAny: (webId: WebId, podUrls: string[]) => Promise<boolean>;
  /** Checks whether the owners of this pod are recorded. */
  has: (podUrl: string) => Promise<boolean>;
  /** How many pods are recorded: none means that the pods made before this service was switched on must be read in. */
  count: () => Promise<number>;
}
