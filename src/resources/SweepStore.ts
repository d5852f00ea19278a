/** Part of a sweep: pods of citizens first, then those that citizens had who were erased. */
export type SweepStage = 'citizens' | 'erased';

/** A sweep over all pods: its position and results. */
export interface Sweep {
  beganAt: Date;
  /** Absent while it goes on. */
  endedAt?: Date;
  /** True when somebody waits for it: then it takes no pauses. */
  isHurried: boolean;
  stage: SweepStage;
  /** The last one of its stage that was looked at; empty at the beginning. */
  position: string;
  /** Pods that were looked at. */
  pods: number;
  /** Resources and pods that were removed, because nothing on record knows them. */
  removed: number;
  /** Shares that were marked as gone, or as there again. */
  marked: number;
  /** Pods that could not be looked at. */
  failed: number;
}

/** The latest sweep. */
export interface SweepStore {
  find: () => Promise<Sweep | undefined>;
  /** Begins another one instead of the latest. */
  begin: (at: Date, isHurried: boolean) => Promise<void>;
  /**
   * Notes how far a sweep is.
   *
   * @param from - The sweep as it was found.
   * @param to - The same, further on.
   *
   * @returns False when somebody else has noted more, or begun another one: then nothing is noted.
   */
  advance: (from: Sweep, to: Sweep) => Promise<boolean>;
}
