/** Records that tokens of the server's own identity provider have ended. */
export interface TokenEnds {
  /**
   * Ends the tokens issued until now.
   *
   * @param subjects - WebIDs or client ids.
   */
  endTokens: (subjects: readonly string[]) => Promise<void>;
  /** Ends all tokens of clients that are gone, and whose ids are never used again. */
  endTokensOfClients: (clients: readonly string[]) => Promise<void>;
  /** Ends the tokens issued until now to a client that acts as a WebID. */
  endTokensOfApp: (webId: string, clientId: string) => Promise<void>;
}
