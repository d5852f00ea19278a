import { before } from './before';

interface Host {
  active: number;
  waiting: (() => void)[];
}

/** Limits on concurrent requests to other hosts. */
export interface HostGateOptions {
  /** Maximum running tasks for one host. */
  perHost: number;
  /** Maximum waiting tasks for one host; further ones are refused. */
  queuePerHost: number;
  /** Maximum running and waiting tasks for all hosts. */
  total: number;
}

/** Bounds the number of running tasks for each host, so that one slow host cannot block everything else. */
export class HostGate {
  private readonly hosts = new Map<string, Host>();
  private inside = 0;

  public constructor(private readonly options: HostGateOptions) {}

  /**
   * Waits for a place, then runs the task.
   *
   * @param name - Host of the task, or a common name of several related hosts.
   * @param signal - Ends the wait; a running task is not affected.
   * @param task - Task to run.
   *
   * @returns Result of the task; undefined when the queue is full.
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
      // Set above: a promise calls its function at once.
      const place = host.waiting.indexOf(turn!);
      if (place === -1) {
        // The place became free just when the wait ended.
        this.leave(name, host);
      } else {
        host.waiting.splice(place, 1);
      }
      throw error;
    }
  }

  /** Passes the place to the next waiting task, or frees it. */
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
