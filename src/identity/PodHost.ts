/** Account, pod and WebID that were made for a citizen on the Solid server. */
export interface HostedPod {
  accountId: string;
  webId: string;
  podUrl: string;
}

/**
 * The Solid server's side of a citizen's identity: account, WebID and pod.
 * Every step can be repeated after a crash at any point.
 */
export interface PodHost {
  /** URL and WebID that a pod of this name will have. */
  locate: (podName: string) => { podUrl: string; webId: string };
  /**
   * Makes account, WebID and pod, or finishes what an earlier call left undone.
   *
   * @param podName - Random UUID.
   * @param onAccount - Called as soon as the account exists, so that it can be found again after a crash.
   */
  create: (
    podName: string,
    accountId: string | undefined,
    onAccount: (accountId: string) => Promise<void>,
  ) => Promise<HostedPod>;
  /** Puts right what a WebID profile that was made here states for good, and that everyone may read it. */
  repair: (podUrl: string, webId: string) => Promise<void>;
  /**
   * Removes all that grants the WebID entry (OIDC grants, sessions, client credentials, cookies, notification
   * channels), then the pod's resources, then the account.
   */
  delete: (podUrl: string, webId: string, accountId: string | undefined) => Promise<void>;
}
