/**
 * Wrong business keys that were tried on a subject, over all callers: durable, so that a restart forgets nothing.
 * Subject and number are stored as blind indexes only.
 */
export interface GuessStore {
  /** How many different wrong numbers were tried on this subject since a moment. */
  count: (subject: string, since: Date) => Promise<number>;
  /** Records a wrong number; the same one again counts once. Answers how many there are since the moment. */
  record: (subject: string, nationalNumber: string, at: Date, since: Date) => Promise<number>;
}
