import { auditQueueLengths } from '../platform/diagnostics';
import type { Logger } from '../platform/logger';
import { messageOf } from '../platform/errors';
import type { AuditEvent } from './AuditLog';

const delayMs = 1000;
const batchSize = 150;
const maxQueued = 50_000;

/**
 * Writes events in batches, at most 1 s later, or earlier when there are many. A batch that fails stays queued and is
 * retried.
 */
export class AuditQueue {
  private readonly events: AuditEvent[] = [];
  private timer?: NodeJS.Timeout;
  private turn: Promise<void> = Promise.resolve();
  private flushing = false;

  /**
   * @param append - Appends events in order, all or none.
   * @param logger - Logs failed batches.
   */
  public constructor(
    private readonly append: (events: AuditEvent[]) => Promise<void>,
    private readonly logger: Logger,
  ) {}

  /**
   * Queues an event.
   *
   * @throws Error when writing has failed for so long that the queue is full: an event that cannot be recorded must not
   * happen.
   */
  public add(event: AuditEvent): void {
    if (this.events.length >= maxQueued) {
      throw new Error('The audit log cannot be written');
    }
    this.events.push(event);
    auditQueueLengths.publish(this.events.length);
    if (this.events.length >= batchSize && !this.flushing) {
      this.flushLater(0);
    } else {
      this.flushLater(delayMs);
    }
  }

  /** Writes all events queued at the time of the call. Rejects on failure; the events stay queued. */
  public async flush(): Promise<void> {
    return this.writeInTurn(1);
  }

  private async writeInTurn(least: number): Promise<void> {
    const turn = this.turn.then(async(): Promise<void> => this.write(least));
    this.turn = turn.catch((): undefined => undefined);
    return turn;
  }

  private flushLater(ms: number): void {
    if (this.timer && ms > 0) {
      return;
    }
    clearTimeout(this.timer);
    this.flushing = ms === 0;
    // A partial batch waits up to a second for more.
    const least = ms === 0 ? batchSize : 1;
    this.timer = setTimeout((): void => {
      this.timer = undefined;
      this.writeInTurn(least).catch((error: unknown): void => {
        this.logger.error(`Audit rows are waiting to be written (${this.events.length}): ${messageOf(error)}`);
        this.flushLater(delayMs);
      });
    }, ms).unref();
  }

  /** Writes batches as long as at least `least` events are queued. */
  private async write(least: number): Promise<void> {
    this.flushing = true;
    try {
      while (this.events.length >= least) {
        const batch = this.events.slice(0, batchSize);
        await this.append(batch);
        this.events.splice(0, batch.length);
        auditQueueLengths.publish(this.events.length);
      }
    } finally {
      this.flushing = false;
    }
    if (this.events.length > 0) {
      this.flushLater(delayMs);
    }
  }
}
