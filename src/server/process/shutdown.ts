/** Makes ready for the end: resolves when the process may stop serving. */
type Draining = () => Promise<void>;

/** A part of the process that is told of its end. */
export interface Ending {
  /** Called when no new work is wanted. */
  drain: () => void;
  /** Called when that was noticed, just before the server stops listening. */
  close: () => void;
}

/** Ends this process: used by the command, which gets the signals, and by the service, which knows its settings. */
export class Shutdown {
  private draining?: Draining;
  private drained?: Promise<void>;
  private readonly endings: Ending[] = [];

  /** Sets the work of {@link drain}; none when the service has not started, or has stopped. */
  public set(draining: Draining | undefined): void {
    this.draining = draining;
  }

  /** Adds a part that is told. */
  public tell(ending: Ending): void {
    this.endings.push(ending);
  }

  /** Announces that no new work is wanted, and waits until that is noticed. Repeated calls announce it once. */
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

/** That of this process. */
export const shutdown = new Shutdown();

/** From the primary process to its workers. */
export const drainMessage = 'css-data-sharing: drain';
