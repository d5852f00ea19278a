import type { WebId } from '../../platform/webId';

/**
 * Decides which WebIDs and pods accounts may have, and keeps a record of the owners of pods. The methods that require
 * something throw an HttpError otherwise.
 */
export interface HoldingRule {
  /** Requires that a WebID may be linked to an account. */
  requireLinkable: (webId: WebId, accountId: string) => Promise<void>;
  /** Requires that a WebID may be unlinked from an account. */
  requireUnlinkable: (webId: string, accountId: string) => Promise<void>;
  /** Requires that a pod may be made at a URL. */
  requireFree: (podUrl: string) => Promise<void>;
  /** Requires that an owner may be removed from a pod. */
  requireRemovable: (webId: string, podUrl: string) => Promise<void>;
  /** Notes that a pod is being made, until its owners are recorded. */
  expectPod: (podUrl: string) => Promise<void>;
  /** Lists pods whose making was interrupted, or takes too long. */
  listInterruptedPods: () => Promise<string[]>;
  /** Forgets that a pod was being made. */
  forgetInterruptedPod: (podUrl: string) => Promise<void>;
  /** Replaces the recorded owners of a pod. */
  recordOwners: (podUrl: string, webIds: string[]) => Promise<void>;
  /** Checks whether the owners of a pod are recorded. */
  isRecorded: (podUrl: string) => Promise<boolean>;
}
