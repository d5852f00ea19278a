import type { WebId } from '../platform/webId';

/** An app that somebody has logged in to with their WebID. */
export interface AppLogin {
  clientId: string;
  /** Name that the app gives itself, unverified. */
  name?: string;
  /** Time of the app's first authorization. */
  since: Date;
  /** Moment of the last log-in, or of the last new refresh token. */
  lastUsedAt: Date;
}

/** Apps that act as a WebID through log-ins at this server's identity provider. */
export interface AppLogins {
  /** Lists the apps that may act as a WebID, the most recently used first. */
  list: (webId: WebId) => Promise<AppLogin[]>;
  /** Client ids of the same apps. */
  listClientIds: (webId: WebId) => Promise<string[]>;
  /** Name that an app gives itself, unverified; undefined when it has none or cannot be asked. */
  findName: (clientId: string) => Promise<string | undefined>;
  /** Ends what an app may do as a WebID, at once: its tokens are refused, and a new log-in asks for consent again. */
  end: (webId: WebId, clientId: string) => Promise<void>;
}
