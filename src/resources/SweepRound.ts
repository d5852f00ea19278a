import type { CitizenStore } from '../identity/CitizenStore';
import type { ShareUpkeep } from '../personal-data/ShareUpkeep';
import type { Clock } from '../platform/clock';
import { Duty } from '../platform/Duty';
import type { DutyStore } from '../platform/DutyStore';
import { nameOf } from '../platform/errors';
import { lastOf } from '../platform/lists';
import type { Logger } from '../platform/logger';
import type { Sweep, SweepStore } from './SweepStore';

/** Dependencies of a {@link SweepRound}. */
export interface SweepRoundOptions {
  records: { citizens: Pick<CitizenStore, 'listErased' | 'listPage'>; duties: DutyStore; sweeps: SweepStore };
  upkeep: Pick<ShareUpkeep, 'sweep'>;
  citizenPods: {
    /** Removes the remains of the pod of an erased citizen; returns true when there were any. */
    removeRemains: (podUrl: string) => Promise<boolean>;
  };
  /** Id of this process among all that share the records. */
  holder: string;
  logger: Logger;
  now: Clock;
}

/** Number of pods in a run. */
const perRun = 20;
/** Time from the beginning of one sweep to that of the next. */
const roundMs = 24 * 60 * 60_000;

type Counts = Pick<Sweep, 'failed' | 'marked' | 'pods' | 'removed'>;

/**
 * Compares pods with the records, a few at a time and each about once a day. Finds and repairs differences caused by a
 * crash, a lost lock or changes behind the service's back.
 *
 * Only one process of all nodes runs it. Its position is in the records, so that runs do not repeat each other's work.
 */
export class SweepRound {
  private readonly options: SweepRoundOptions;
  private readonly duty: Duty;

  public constructor(options: SweepRoundOptions) {
    this.options = options;
    const { holder, now, records: { duties }} = options;
    this.duty = new Duty({ name: 'sweep', holder, duties, now });
  }

  /** Checks the next few pods, or all remaining ones if somebody waits for the sweep. Call it every few seconds. */
  public async run(): Promise<void> {
    let sweep = await this.findDue();
    while (sweep && await this.duty.take()) {
      const further = await this.sweepSome(sweep);
      const isNoted = await this.options.records.sweeps.advance(sweep, further);
      sweep = isNoted && further.isHurried && !further.endedAt ? further : undefined;
    }
  }

  /**
   * Returns the current sweep, or begins another when the latest began a day ago, or in the future by a clock that was
   * ahead.
   */
  private async findDue(): Promise<Sweep | undefined> {
    const { now, records: { sweeps }} = this.options;
    const sweep = await sweeps.find();
    if (sweep && !sweep.endedAt) {
      return sweep;
    }
    const age = sweep ? now().getTime() - sweep.beganAt.getTime() : roundMs;
    if ((age >= 0 && age < roundMs) || !await this.duty.take()) {
      return undefined;
    }
    await sweeps.begin(now(), false);
    return sweeps.find();
  }

  private async sweepSome(sweep: Sweep): Promise<Sweep> {
    return sweep.stage === 'citizens' ? this.sweepCitizens(sweep) : this.sweepErased(sweep);
  }

  private async sweepCitizens(sweep: Sweep): Promise<Sweep> {
    const { records, upkeep } = this.options;
    const page = await records.citizens.listPage(sweep.position, perRun, 'ACTIVE');
    const counts = await this.count(sweep, page, async(citizen): Promise<Partial<Counts>> => upkeep.sweep(citizen));
    return page.length < perRun ?
        { ...sweep, ...counts, stage: 'erased', position: '' } :
        { ...sweep, ...counts, position: lastOf(page).id };
  }

  private async sweepErased(sweep: Sweep): Promise<Sweep> {
    const { citizenPods, now, records } = this.options;
    const page = await records.citizens.listErased(sweep.position, perRun);
    const counts = await this.count(sweep, page, async(podUrl): Promise<Partial<Counts>> =>
      ({ removed: await citizenPods.removeRemains(podUrl) ? 1 : 0 }));
    return page.length < perRun ?
        { ...sweep, ...counts, endedAt: now() } :
        { ...sweep, ...counts, position: lastOf(page) };
  }

  /** Counts results; failures are left to the next sweep. */
  private async count<T>(sweep: Sweep, page: T[], look: (one: T) => Promise<Partial<Counts>>): Promise<Counts> {
    const { failed, marked, pods, removed } = sweep;
    const counts = { failed, marked, pods: pods + page.length, removed };
    for (const one of page) {
      try {
        const found = await look(one);
        counts.removed += found.removed ?? 0;
        counts.marked += found.marked ?? 0;
      } catch (error: unknown) {
        counts.failed += 1;
        this.options.logger.error(`A pod could not be compared with the records: ${nameOf(error)}`);
      }
    }
    return counts;
  }
}
