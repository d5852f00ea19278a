import { before } from './before';

interface Host {
  active: number;
  waiting: (() => void)[];
}

/** How much may be asked of other hosts at the same time. */
export interface HostGateOptions {
  /** Tasks that run at the same time for one host. */
  perHost: number;
  /** Tasks that wait for one host; a further one is turned away. */
  queuePerHost: number;
  /** Tasks that run or wait, over all hosts. */
  total: number;
}

/** Lets a bounded number of tasks per host run, so that one slow host cannot hold up everything else. */
export class HostGate {
  private readonly hosts = new Map<string, Host>();
  private inside = 0;

  public constructor(private readonly options: HostGateOptions) {}

  /**
   * Waits for a place, then runs the task.
   *
   * @param name - Host that the task asks, or whatever names it and all others that are one with it.
   * @param signal - Ends the waiting; a task that has begun looks after itself.
   * @param task - What to run.
   *
   * @returns What the task answers, or undefined when there was no place to wait in.
   *
   * @throws The signal's reason when it ends the waiting.
   */
  public async run<T>(name: string, signal: AbortSignal, task: () => Promise<T>): Promise<T | undefined> {
    const host = this.hosts.get(name) ?? { active: 0, waiting: []};
    if (this.inside >= this.options.total || host.waiting.length >= this.options.queuePerHost) {
      return;
    }
    this.hosts.set(name, host);
    this.inside += 1;
    try {
      await this.enter(name, host, signal);
      try {
        return await task();
      } finally {
        this.leave(name, host);
      }
    } finally {
      this.inside -= 1;
    }
  }

  private async enter(name: string, host: Host, signal: AbortSignal): Promise<void> {
    if (host.active < this.options.perHost) {
      host.active += 1;
      return;
    }
    let turn: (() => void) | undefined;
    const called = new Promise<void>((resolve): void => {
      turn = resolve;
      host.waiting.push(resolve);
    });
    try {
      await before(signal, called);
    } catch (error: unknown) {
      const place = host.waiting.indexOf(turn!);
      if (place === -1) {
        // The turn came at the moment of giving up.
        this.leave(name, host);
      } else {
        host.waiting.splice(place, 1);
      }
      throw error;
    }
  }

  /** Hands the place to the next in line, or gives it up. */
  private leave(name: string, host: Host): void {
    const next = host.waiting.shift();
    if (next) {
      next();
      return;
    }
    host.active -= 1;
    if (host.active === 0) {
      this.hosts.delete(name);
    }
  }
}
