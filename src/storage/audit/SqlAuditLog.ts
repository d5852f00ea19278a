import type { Logger } from '../../platform/logger';
import type { AuditCheck, AuditEvent, AuditLog } from '../../audit/AuditLog';
import type { AuditFinding, ChainRow } from '../../audit/chain';
import { AuditQueue } from '../../audit/AuditQueue';
import { atomically } from '../database/engine';
import type { Database } from '../schema';
import type { AuditChain, AuditChange, ListedEvent } from './AuditChain';

/** The audit log in the records, outside of transactions. */
export class SqlAuditLog implements AuditLog {
  private readonly queue: AuditQueue;

  public constructor(
    private readonly db: Database,
    private readonly chain: AuditChain,
    logger: Logger,
  ) {
    this.queue = new AuditQueue(async(events): Promise<void> => this.change(events.map(toAppend)), logger);
  }

  public async append(event: AuditEvent): Promise<void> {
    await this.change([ toAppend(event) ]);
  }

  public enqueue(event: AuditEvent): void {
    this.queue.add(event);
  }

  public async flush(): Promise<void> {
    await this.queue.flush();
  }

  public async forget(citizenId: string): Promise<void> {
    await this.change([{ forget: citizenId }]);
  }

  public async verify(): Promise<AuditFinding[]> {
    return (await this.check(Infinity)).findings;
  }

  public async check(most: number): Promise<AuditCheck> {
    return this.chain.check(this.db, most);
  }

  public async listRows(afterSequence: number, limit: number): Promise<ChainRow[]> {
    return this.chain.listRows(this.db, afterSequence, limit);
  }

  public async list(afterSequence: number, limit: number): Promise<ListedEvent[]> {
    return this.chain.list(this.db, afterSequence, limit);
  }

  private async change(changes: AuditChange[]): Promise<void> {
    await atomically(this.db, async(trx): Promise<void> => this.chain.change(trx, changes));
  }
}

/**
 * The audit log within a transaction. Events join the chain when the transaction ends: the chain is locked last and
 * briefly, so it never makes two transactions wait for each other.
 */
export class TransactionAuditLog implements AuditLog {
  private changes: AuditChange[] = [];

  public constructor(
    private readonly trx: Database,
    private readonly chain: AuditChain,
    private readonly outside: AuditLog,
  ) {}

  public async append(event: AuditEvent): Promise<void> {
    this.changes.push(toAppend(event));
  }

  /** Passes the event to the log outside, which writes it even if this transaction fails. */
  public enqueue(event: AuditEvent): void {
    this.outside.enqueue(event);
  }

  /** Writes the events appended so far. */
  public async flush(): Promise<void> {
    const { changes } = this;
    this.changes = [];
    if (changes.length > 0) {
      await this.chain.change(this.trx, changes);
    }
  }

  public async forget(citizenId: string): Promise<void> {
    this.changes.push({ forget: citizenId });
  }

  public async verify(): Promise<AuditFinding[]> {
    return (await this.check(Infinity)).findings;
  }

  public async check(most: number): Promise<AuditCheck> {
    await this.flush();
    return this.chain.check(this.trx, most);
  }

  public async listRows(afterSequence: number, limit: number): Promise<ChainRow[]> {
    await this.flush();
    return this.chain.listRows(this.trx, afterSequence, limit);
  }

  public async list(afterSequence: number, limit: number): Promise<ListedEvent[]> {
    await this.flush();
    return this.chain.list(this.trx, afterSequence, limit);
  }
}

function toAppend(event: AuditEvent): AuditChange {
  return { append: event };
}
