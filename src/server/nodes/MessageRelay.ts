/** Relays short texts to all other processes that serve the same pods. */
export interface MessageRelay {
  /** Sends a text to the others. Never throws: a text that cannot be sent is lost. */
  publish: (text: string) => void;
  /** Listens to texts of other processes, excluding this one. */
  subscribe: (listener: (text: string) => void) => void;
}
