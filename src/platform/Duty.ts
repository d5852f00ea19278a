import type { Clock } from './clock';
import type { DutyStore } from './DutyStore';

const defaultMs = 60_000;

/** Dependencies of a {@link Duty}. */
export interface DutyOptions {
  /** Name of the work. */
  name: string;
  /** Identifies this process among all that share the records. */
  holder: string;
  duties: DutyStore;
  now: Clock;
  /** Milliseconds after which another process takes over; a minute by default. */
  ms?: number;
}

/** Work that one process of all nodes does at a time: the process that took the duty, as long as it renews it. */
export class Duty {
  private readonly options: DutyOptions;
  private until = 0;

  public constructor(options: DutyOptions) {
    this.options = options;
  }

  /** Takes or keeps the duty. Returns false while another process has it. */
  public async take(): Promise<boolean> {
    const { duties, holder, ms = defaultMs, name, now } = this.options;
    const at = now();
    const left = this.until - at.getTime();
    // More time left than was taken means that the clock was set back: another process may have taken over.
    if (left > ms / 2 && left <= ms) {
      return true;
    }
    const until = new Date(at.getTime() + ms);
    const isOurs = await duties.take(name, holder, at, until);
    this.until = isOurs ? until.getTime() : 0;
    return isOurs;
  }
}
