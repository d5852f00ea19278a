import type { WebId } from '../platform/webId';
/** A citizen's WebID, and the pod that their data goes to. */
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
  /** URL and WebID that a pod of this name will have. */
  locate: (podName: string) => WebIdWithPod;
  /**
   * Makes account, WebID and pod, or finishes what an earlier call left undone.
   *
   * @param podName - Random UUID.
   * @param onAccount - Called as soon as the account exists, so that it can be found again after a crash.
   * @param ownWebId - A WebID that was there before, which the pod is for: none is made.
   */
  create: (
    podName: string,
    accountId: string | undefined,
    onAccount: (accountId: string) => Promise<void>,
    ownWebId?: WebId,
  ) => Promise<HostedPod>;
  /** Restores the permanent statements of a WebID profile that was made here, and everybody's right to read it. */
  repair: (pod: WebIdWithPod) => Promise<void>;
  /**
   * Removes all that grants the WebID entry (OIDC grants, sessions, client credentials, cookies, notification
   * channels), then the pod's resources, then the account.
   *
   * @param pod - Its `webId` is absent when it was there before: its log-ins and channels elsewhere stay.
   */
  delete: (pod: Partial<HostedPod> & Pick<HostedPod, 'podUrl'>) => Promise<void>;
  /**
   * Removes the pod and account of a citizen who was erased, should there be any: somebody who was overtaken may have
   * made them since.
   *
   * @returns True when there was something.
   */
  removeRemains: (podUrl: string) => Promise<boolean>;
  /** Finds the account of a pod; nothing when it does not have this WebID linked to it. */
  findAccount: (pod: WebIdWithPod) => Promise<string | undefined>;
  /**
   * Makes a container for a WebID alone in a pod that was there before, whatever the rules of the pod say. One that has
   * rules of its own stays as it is.
   */
  seclude: (place: { container: string; webId: WebId }) => Promise<void>;
  /**
   * Removes some resources from such a container, and then, when nothing else is in it, the container.
   *
   * @param resources - Absolute URLs; those that are gone already are fine.
   */
  clear: (container: string, resources: string[]) => Promise<void>;
}
