import type { Clock } from '../platform/clock';
import { auditSinkStates } from '../platform/diagnostics';
import type { Duty } from '../platform/Duty';
import { messageOf } from '../platform/errors';
import { inTime } from '../platform/inTime';
import { lastOf } from '../platform/lists';
import type { Logger } from '../platform/logger';
import type { AuditLog } from './AuditLog';
import type { AuditSink } from './AuditSink';
import type { ChainRow } from './chain';

const batchSize = 200;
const batchesPerRun = 50;
const timeoutMs = 30_000;
const firstPauseMs = 1000;
const maxPauseMs = 60_000;

/** Dependencies of an {@link AuditForwarder}. */
export interface AuditForwarderOptions {
  sink: AuditSink;
  audit: Pick<AuditLog, 'listRows'>;
  duty: Pick<Duty, 'take'>;
  logger: Pick<Logger, 'error' | 'warn'>;
  now: Clock;
}

/**
 * Forwards the rows of the audit record to a sink, continuing after its last row. Memory holds one batch; other rows
 * wait in the records. A failing sink is retried after increasing pauses of at most a minute.
 */
export class AuditForwarder {
  private readonly options: AuditForwarderOptions;
  /** Sequence number of the last row in the sink; absent when the sink must report it first. */
  private end?: number;
  private failures = 0;
  private pauseUntil = 0;

  public constructor(options: AuditForwarderOptions) {
    this.options = options;
  }

  /** Forwards new rows. Call every second or so, but not before the previous call has resolved. */
  public async run(): Promise<void> {
    const { duty, now } = this.options;
    if (now().getTime() < this.pauseUntil) {
      return;
    }
    if (!await duty.take()) {
      this.end = undefined;
      return;
    }
    try {
      await this.forward();
      this.noteSuccess();
    } catch (error: unknown) {
      this.noteFailure(messageOf(error));
    }
  }

  private async forward(): Promise<void> {
    const { audit, duty, sink } = this.options;
    this.end ??= await inTime(timeoutMs, async(): Promise<number> => sink.findEnd());
    for (let batch = 0; batch < batchesPerRun; batch += 1) {
      const rows = await audit.listRows(this.end, batchSize);
      this.publish(rows[0]);
      if (rows.length === 0 || !await duty.take()) {
        return;
      }
      await inTime(timeoutMs, async(): Promise<void> => sink.write(rows));
      this.end = lastOf(rows).sequence;
    }
  }

  /** Publishes how long the first row missing in the sink has been waiting. */
  private publish(first: ChainRow | undefined): void {
    const behindMs = first ? Math.max(0, this.options.now().getTime() - first.at) : 0;
    auditSinkStates.publish({ isFailing: this.failures > 0, behindSeconds: behindMs / 1000 });
  }

  private noteSuccess(): void {
    if (this.failures > 0) {
      this.options.logger.warn('The sink of the audit record accepts rows again');
    }
    this.failures = 0;
  }

  private noteFailure(message: string): void {
    if (this.failures === 0) {
      this.options.logger.error(`The sink of the audit record fails: ${message}. Rows wait in the records`);
    }
    this.pauseUntil = this.options.now().getTime() + Math.min(maxPauseMs, firstPauseMs * (2 ** this.failures));
    this.failures += 1;
    this.end = undefined;
    auditSinkStates.publish({ isFailing: true });
  }
}
