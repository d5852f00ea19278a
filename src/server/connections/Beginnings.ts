import { isOverdue } from '../../platform/giveWay';
import { Turns } from '../../platform/Turns';

/** Maximum rounds in which new connections hold back waiting requests; then one request starts. */
const mostRoundsHeldBack = 256;

/**
 * Starts requests at once while the process has time for them. Past that, it starts one in each round of the event
 * loop, in order of arrival: a thousand at once would block everything else for seconds.
 *
 * Node accepts one new connection per round. While connections arrive, no request is started: otherwise the last of a
 * thousand connections, perhaps a health check, would wait for a thousand requests before it is read.
 */
export class Beginnings {
  private readonly turns: Turns;
  private waiting = 0;
  private connections = 0;
  /** Number of connections in the previous round. */
  private known = 0;
  private roundsHeldBack = 0;

  public constructor() {
    this.turns = new Turns((): boolean => this.isFree());
  }

  /** Call for each new connection. */
  public connected(): void {
    this.connections += 1;
  }

  /** Resolves when a request may start. */
  public async next(): Promise<void> {
    if (this.waiting > 0 || this.known !== this.connections || isOverdue()) {
      this.waiting += 1;
      await this.turns.next();
      this.waiting -= 1;
    }
  }

  /** Checks whether a request may start. Called once per round. */
  private isFree(): boolean {
    const isQuiet = this.known === this.connections;
    this.known = this.connections;
    this.roundsHeldBack = isQuiet || this.roundsHeldBack === mostRoundsHeldBack ? 0 : this.roundsHeldBack + 1;
    return this.roundsHeldBack === 0;
  }
}
