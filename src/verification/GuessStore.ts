import type { NationalNumber } from '../identity/NationalNumber';

/** Numbers of different wrong numbers tried on a subject. */
export interface GuessCounts {
  byCaller: number;
  byAll: number;
}

/**
 * Wrong business keys that were tried on a subject: durable, so that a restart forgets nothing.
 * Subject, caller and number are stored as blind indexes only.
 */
export interface GuessStore {
  /** Counts the different wrong numbers tried on this subject since a moment, by this caller and by all. */
  count: (subject: string, caller: string, since: Date) => Promise<GuessCounts>;
  /** Records a wrong number; the same one again counts once. Returns the counts since the moment. */
  record: (
    subject: string,
    caller: string,
    nationalNumber: NationalNumber,
    at: Date,
    since: Date,
  ) => Promise<GuessCounts>;
}
