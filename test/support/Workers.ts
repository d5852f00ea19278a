import { setTimeout } from 'node:timers/promises';

/** A line of the log. A killed worker may have left an incomplete line before it. */
const listening = /"process":"worker (\d+)"[^{}\n]*"message":"Listening to/gu;

/** The workers of a server that logs objects (`--logFormat json`) on level `info`. */
export class Workers {
  private readonly killed = new Set<number>();

  /** @param log - Returns the server's output so far. */
  public constructor(private readonly log: () => string) {}

  /** Process ids of the serving workers. */
  public serving(): number[] {
    return [ ...this.log().matchAll(listening) ].map(([ , pid ]): number => Number(pid))
      .filter((pid): boolean => !this.killed.has(pid));
  }

  /** Resolves when this many workers serve. */
  public async untilServing(count: number): Promise<void> {
    while (this.serving().length < count) {
      await setTimeout(100);
    }
  }

  public kill(pid: number): void {
    this.killed.add(pid);
    process.kill(pid, 'SIGKILL');
  }
}
