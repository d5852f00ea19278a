import type { Clock } from '../platform/clock';
import type { DutyStore } from './DutyStore';

const dutyMs = 60_000;

/** A duty of one process among all that share the records. Whoever has it keeps it while they ask for it. */
export class Duty {
  private until = 0;

  /**
   * @param duties - Where it is noted who has it.
   * @param name - Of the duty.
   * @param holder - This process, among all.
   * @param now - Tells the time.
   */
  public constructor(
    private readonly duties: DutyStore,
    private readonly name: string,
    private readonly holder: string,
    private readonly now: Clock,
  ) {}

  /** Takes it, or keeps it. Returns false while another process has it. */
  public async take(): Promise<boolean> {
    const at = this.now();
    if (at.getTime() < this.until - (dutyMs / 2)) {
      return true;
    }
    const until = new Date(at.getTime() + dutyMs);
    const isOurs = await this.duties.take(this.name, this.holder, at, until);
    this.until = isOurs ? until.getTime() : 0;
    return isOurs;
  }
}
