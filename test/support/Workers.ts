import { setTimeout } from 'node:timers/promises';

/** The workers of a server that logs objects (`--logFormat json`) on level `info`. */
export class Workers {
  private readonly killed = new Set<number>();

  /** @param log - All that the server has printed. */
  public constructor(private readonly log: () => string) {}

  /** Ids of the processes that serve. */
  public serving(): number[] {
    return this.log().split('\n').filter((line): boolean => line.startsWith('{'))
      .map((line): Record<string, string> => JSON.parse(line) as Record<string, string>)
      .filter(({ message, process: by }): boolean => message.startsWith('Listening to') && by !== 'primary')
      .map(({ process: by }): number => Number(by.replace('worker ', '')))
      .filter((pid): boolean => !this.killed.has(pid));
  }

  /** Resolves when so many serve. */
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
