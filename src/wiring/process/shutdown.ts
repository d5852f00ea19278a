/** Makes ready for the end: resolves when the process may stop serving. */
type Draining = () => Promise<void>;

/** How this process ends: between the command, which hears the signals, and the service, which knows its settings. */
export class Shutdown {
  private draining?: Draining;
  private drained?: Promise<void>;
  private readonly closing: (() => void)[] = [];

  /** What {@link drain} does; nothing when the service has not started, or has stopped. */
  public set(draining: Draining | undefined): void {
    this.draining = draining;
  }

  /** What is done when that was noticed, just before the server stops listening. */
  public beforeClose(close: () => void): void {
    this.closing.push(close);
  }

  /** Says that no new work is wanted, and waits until that was noticed. Once, however often it is called. */
  public async drain(): Promise<void> {
    this.drained ??= this.draining?.();
    await this.drained;
    for (const close of this.closing) {
      close();
    }
  }
}

/** That of this process. */
export const shutdown = new Shutdown();

/** From the primary process to its workers. */
export const drainMessage = 'css-data-sharing: drain';
