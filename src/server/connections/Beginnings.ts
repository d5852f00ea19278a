import { isOverdue } from '../../platform/giveWay';
import { Turns } from '../../platform/Turns';

/**
 * Lets requests begin at once, as long as the process has time for them. Past that, one begins in each round of the
 * event loop, in the order they came: a thousand that arrive together would take seconds before anything else is done.
 */
export class Beginnings {
  private readonly turns = new Turns();
  private waiting = 0;

  /** Resolves when a request may begin. */
  public async next(): Promise<void> {
    if (this.waiting === 0 && !isOverdue()) {
      return;
    }
    this.waiting += 1;
    await this.turns.next();
    this.waiting -= 1;
  }
}
