/** Prepares the end: resolves when the process may stop serving. */
type Draining = () => Promise<void>;

/** A part of the process that takes part in the shutdown. */
export interface Ending {
  /** Called when no new work is wanted. */
  drain: () => void;
  /** Called when load balancers have noticed that, just before the server stops listening. */
  close: () => void;
}

/**
 * Shutdown of this process: used by the command, which receives the signals, and by the service, which knows its
 * settings.
 */
class Shutdown {
  private draining?: Draining;
  private drained?: Promise<void>;
  private readonly endings: Ending[] = [];

  /** Sets the work of {@link drain}; undefined when the service has not started, or has stopped. */
  public set(draining: Draining | undefined): void {
    this.draining = draining;
  }

  /** Adds a part that takes part in the shutdown. */
  public add(ending: Ending): void {
    this.endings.push(ending);
  }

  /** Announces the shutdown, and waits until load balancers have noticed it. Repeated calls announce it once. */
  public async drain(): Promise<void> {
    this.drained ??= this.end();
    await this.drained;
  }

  private async end(): Promise<void> {
    for (const ending of this.endings) {
      ending.drain();
    }
    await this.draining?.();
    for (const ending of this.endings) {
      ending.close();
    }
  }
}

/** Shutdown of this process. */
export const shutdown = new Shutdown();

/** Message from the primary process to its workers. */
export const drainMessage = 'css-data-sharing: drain';
