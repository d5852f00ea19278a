import type { NationalNumber } from '../identity/NationalNumber';

/** Counts of different wrong numbers tried on a subject. */
export interface GuessCounts {
  byCaller: number;
  byAll: number;
}

/**
 * Wrong business keys tried on a subject, kept across restarts. Subject, caller and number are stored as blind indexes
 * only.
 */
export interface GuessStore {
  /** Counts the different wrong numbers tried on this subject since a moment, by this caller and by all. */
  count: (subject: string, caller: string, since: Date) => Promise<GuessCounts>;
  /** Records a wrong number; a repeated number counts once. Returns the counts since the given time. */
  record: (
    subject: string,
    caller: string,
    nationalNumber: NationalNumber,
    at: Date,
    since: Date,
  ) => Promise<GuessCounts>;
}
