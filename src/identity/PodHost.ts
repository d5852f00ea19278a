import type { WebId } from '../platform/webId';
/** A citizen's WebID, and the pod for their data. */
export interface WebIdWithPod {
  webId: WebId;
  podUrl: string;
}

/** Account, pod and WebID that were made for a citizen on the Solid server. */
export interface HostedPod extends WebIdWithPod {
  accountId: string;
}

/**
 * The Solid server's side of a citizen's identity: account, WebID and pod.
 * Every step can be repeated after a crash at any point.
 */
export interface PodHost {
  /**
   * Creates account, WebID and pod, or finishes an interrupted earlier call.
   *
   * @param podName - Random UUID.
   * @param onAccount - Called as soon as the account exists, so that it can be found again after a crash.
   * @param ownWebId - The citizen's own WebID for the pod, instead of a new one.
   */
  create: (
    podName: string,
    accountId: string | undefined,
    onAccount: (accountId: string) => Promise<void>,
    ownWebId?: WebId,
  ) => Promise<HostedPod>;
  /** Restores the permanent statements of a WebID profile made here, and public read access to it. */
  repair: (pod: WebIdWithPod) => Promise<void>;
  /**
   * Removes everything that lets the WebID in (OIDC grants, sessions, client credentials, cookies, notification
   * channels), then the pod's resources, then the account.
   *
   * @param pod - Without `webId` when the citizen brought it: its log-ins and channels elsewhere stay.
   */
  delete: (pod: Partial<HostedPod> & Pick<HostedPod, 'podUrl'>) => Promise<void>;
  /**
   * Removes the pod and account of an erased citizen, if any: a slower process may have made them since.
   *
   * @returns True when there was something to remove.
   */
  removeRemains: (podUrl: string) => Promise<boolean>;
  /** Finds the account of a pod; `undefined` when this WebID is not linked to it. */
  findAccount: (pod: WebIdWithPod) => Promise<string | undefined>;
  /**
   * Creates a container for one WebID alone in a pod that the citizen brought, overriding the rules of the pod. A
   * container with rules of its own stays as it is.
   */
  seclude: (place: { container: string; webId: WebId }) => Promise<void>;
  /**
   * Removes some resources from such a container, and then the container if it is empty.
   *
   * @param resources - Absolute URLs; missing resources are ignored.
   */
  clear: (container: string, resources: string[]) => Promise<void>;
}
