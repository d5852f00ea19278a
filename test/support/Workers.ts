import { setTimeout } from 'node:timers/promises';

/** A line of the log. A killed worker may have left an incomplete line before it. */
const listening = /"process":"worker (\d+)"[^{}\n]*"message":"Listening to/gu;

/** The workers of a server that logs objects (`--logFormat json`) on level `info`. */
export class Workers {
  private readonly killed = new Set<number>();

  /** @param log - All that the server has printed. */
  public constructor(private readonly log: () => string) {}

  /** Ids of the processes that serve. */
  public serving(): number[] {
    return [ ...this.log().matchAll(listening) ].map(([ , pid ]): number => Number(pid))
      .filter((pid): boolean => !this.killed.has(pid));
  }

  /** Resolves when this many serve. */
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
