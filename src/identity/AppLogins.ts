/** An app that somebody has logged in to with their WebID. */
export interface AppLogin {
  clientId: string;
  /** As the app calls itself: nobody checked it. */
  name?: string;
  /** Moment at which the app was first allowed to act. */
  since: Date;
  /** Moment of the last log-in, or of the last new refresh token. */
  lastUsedAt: Date;
}

/** Apps that act as a WebID, by log-ins at this server's identity provider. */
export interface AppLogins {
  /** The apps that may act as a WebID: those used last come first. */
  list: (webId: string) => Promise<AppLogin[]>;
  /** Client ids of the same apps. */
  listClientIds: (webId: string) => Promise<string[]>;
  /** Ends what an app may do as a WebID, at once: its tokens are refused, and a new log-in asks for consent again. */
  end: (webId: string, clientId: string) => Promise<void>;
}
