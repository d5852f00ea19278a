import { isOverdue } from '../../platform/giveWay';
import { Turns } from '../../platform/Turns';

/** Rounds for which connections that keep coming hold back the requests that wait: one of them begins then. */
const mostRoundsHeldBack = 256;

/**
 * Starts requests at once while the process has time for them. Past that, it starts one in each round of the event
 * loop, in order of arrival: a thousand at once would take seconds before anything else is done.
 *
 * Node accepts one new connection in a round. While they come, rounds are kept short: else the last of a thousand, a
 * health check perhaps, would wait for a thousand rounds of work before it is read.
 */
export class Beginnings {
  private readonly turns: Turns;
  private waiting = 0;
  private connections = 0;
  /** Connections of which the round before knew. */
  private known = 0;
  private roundsHeldBack = 0;

  public constructor() {
    this.turns = new Turns((): boolean => this.isFree());
  }

  /** To be called for each connection that is opened. */
  public connected(): void {
    this.connections += 1;
  }

  /** Resolves when a request may begin. */
  public async next(): Promise<void> {
    if (this.waiting > 0 || this.known !== this.connections || isOverdue()) {
      this.waiting += 1;
      await this.turns.next();
      this.waiting -= 1;
    }
  }

  /** Asked once in each round. */
  private isFree(): boolean {
    const isQuiet = this.known === this.connections;
    this.known = this.connections;
    this.roundsHeldBack = isQuiet || this.roundsHeldBack === mostRoundsHeldBack ? 0 : this.roundsHeldBack + 1;
    return this.roundsHeldBack === 0;
  }
}
