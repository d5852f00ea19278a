/** Tokens of this server's identity provider that end before they expire, because their WebID or client has ended. */
export interface EndedTokens {
  /**
   * Ends the tokens issued until now. Remembers this for as long as any of them could be used.
   *
   * @param subjects - WebIDs, client ids, or apps of a WebID: see {@link appSubject}.
   * @param at - Current time.
   */
  end: (subjects: readonly string[], at: Date) => Promise<void>;
  /**
   * Ends the tokens of client ids that are never used again, also those from nodes whose clock is ahead.
   *
   * @param clients - Client ids.
   * @param at - Current time.
   */
  endForGood: (clients: readonly string[], at: Date) => Promise<void>;
  /** Returns the last time at which the tokens of any of these subjects ended. */
  endedAt: (subjects: readonly string[]) => Promise<Date | undefined>;
}

/** Names an app that acts as a WebID. A WebID has no space, so no other pair has this name. */
export function appSubject(webId: string, clientId: string): string {
  return `${clientId} ${webId}`;
}
