/** Stage of a sweep: pods of citizens first, then pods of erased citizens. */
export type SweepStage = 'citizens' | 'erased';

/** A sweep over all pods: its position and results. */
export interface Sweep {
  beganAt: Date;
  /** Absent while the sweep is running. */
  endedAt?: Date;
  /** True when somebody waits for the sweep, which then runs without pauses. */
  isHurried: boolean;
  stage: SweepStage;
  /** Last item of the stage that was checked; empty at the beginning. */
  position: string;
  /** Number of pods checked. */
  pods: number;
  /** Number of resources and pods removed because no record names them. */
  removed: number;
  /** Number of shares marked as missing, or as present again. */
  marked: number;
  /** Number of pods that could not be checked. */
  failed: number;
}

/** Store of the latest sweep. */
export interface SweepStore {
  find: () => Promise<Sweep | undefined>;
  /** Begins a new sweep, which replaces the latest. */
  begin: (at: Date, isHurried: boolean) => Promise<void>;
  /**
   * Records the progress of a sweep.
   *
   * @param from - The sweep as read before.
   * @param to - The sweep with its progress.
   *
   * @returns False, recording nothing, when another process has recorded progress or begun another sweep.
   */
  advance: (from: Sweep, to: Sweep) => Promise<boolean>;
}
