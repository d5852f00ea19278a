/** An app that somebody has logged in to with their WebID. */
export interface AppLogin {
  clientId: string;
  /** Name that the app gives itself, unverified. */
  name?: string;
  /** Time of the app's first authorization. */
  since: Date;
  /** Time of the latest log-in or token renewal. */
  lastUsedAt: Date;
}

/** Apps that act as a WebID through log-ins at this server's identity provider. */
export interface AppLogins {
  /** Lists the apps that may act as a WebID, the most recently used first. */
  list: (webId: string) => Promise<AppLogin[]>;
  /** Ends an app's log-ins as a WebID at once: its tokens are refused, and a new log-in asks for consent again. */
  end: (webId: string, clientId: string) => Promise<void>;
}
