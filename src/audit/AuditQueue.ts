import { auditQueueLengths } from '../platform/diagnostics';
import type { Logger } from '../platform/logger';
import { messageOf } from '../platform/errors';
import type { AuditEvent } from './AuditLog';

const delayMs = 1000;
const batchSize = 150;
const maxQueued = 50_000;

/**
 * Events that are written later, together: at most 1 s behind, earlier when many come.
 * A batch that fails stays queued and is tried again.
 */
export class AuditQueue {
  private readonly events: AuditEvent[] = [];
  private timer?: NodeJS.Timeout;
  private turn: Promise<void> = Promise.resolve();
  private flushing = false;

  /**
   * @param append - Appends events in their order, all or none.
   * @param logger - Told when a batch fails.
   */
  public constructor(
    private readonly append: (events: AuditEvent[]) => Promise<void>,
    private readonly logger: Logger,
  ) {}

  /**
   * Queues an event.
   *
   * @throws Error when writing has failed for so long that no room is left: what cannot be recorded must not be.
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

  /** Writes all that is queued when it is called. Rejects when that fails; the events stay queued. */
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
    // A batch that is not full waits for more, for its second.
    const least = ms === 0 ? batchSize : 1;
    this.timer = setTimeout((): void => {
      this.timer = undefined;
      this.writeInTurn(least).catch((error: unknown): void => {
        this.logger.error(`Audit rows wait to be written (${this.events.length}): ${messageOf(error)}`);
        this.flushLater(delayMs);
      });
    }, ms).unref();
  }

  /** Writes batches for as long as so many are queued. */
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
