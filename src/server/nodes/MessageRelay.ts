/** Relays short texts to all other processes that serve the same pods. */
export interface MessageRelay {
  /** Sends a text to the others. Never throws: one that cannot be sent is lost. */
  publish: (text: string) => void;
  /** Hears the texts of the others, and none of one's own. */
  subscribe: (listener: (text: string) => void) => void;
}
