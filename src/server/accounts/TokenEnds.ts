/** Notes that tokens of the server's own identity provider are good no more. */
export interface TokenEnds {
  /**
   * Ends the tokens issued until now.
   *
   * @param subjects - WebIDs or client ids.
   */
  endTokens: (subjects: readonly string[]) => Promise<void>;
  /** Ends the tokens issued until now to a client that acts as a WebID. */
  endTokensOfApp: (webId: string, clientId: string) => Promise<void>;
}
