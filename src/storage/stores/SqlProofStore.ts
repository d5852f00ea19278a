import { createHash } from 'node:crypto';
import type { ProofOutcome, ProofStore } from '../../tokens/ProofStore';
import type { Database } from '../schema';

/** Proofs remembered per caller at most. */
const mostPerCaller = 10_000;

/** How often proofs that have expired are thrown away. */
const sweepSeconds = 30;

/** DPoP proofs in the records, for several processes that serve the same callers. */
export class SqlProofStore implements ProofStore {
  private nextSweep = 0;

  public constructor(private readonly db: Database) {}

  public async remember(caller: string, jti: string, expiresAt: Date, now: Date): Promise<ProofOutcome> {
    await this.sweep(now.getTime());
    const row = { caller: digest(caller), jti: digest(jti), expiresAt: expiresAt.getTime() };
    if (await this.isFull(row.caller, now.getTime())) {
      return 'too-many';
    }
    // One statement, so that of two processes with the same proof one finds it fresh.
    const fresh = await this.db.insertInto('proofs').values(row)
      .onConflict(conflict => conflict.columns([ 'caller', 'jti' ])
        .doUpdateSet({ expiresAt: row.expiresAt })
        .where('proofs.expiresAt', '<=', now.getTime()))
      .returning('jti')
      .executeTakeFirst();
    return fresh ? 'fresh' : 'replayed';
  }

  private async isFull(caller: string, now: number): Promise<boolean> {
    const remembered = this.db.selectFrom('proofs').select('jti')
      .where('caller', '=', caller)
      .where('expiresAt', '>', now)
      .limit(mostPerCaller);
    const { proofs } = await this.db.selectFrom(remembered.as('remembered'))
      .select(({ fn }) => fn.countAll<number>().as('proofs'))
      .executeTakeFirstOrThrow();
    return proofs >= mostPerCaller;
  }

  private async sweep(now: number): Promise<void> {
    if (now >= this.nextSweep) {
      this.nextSweep = now + (sweepSeconds * 1000);
      await this.db.deleteFrom('proofs').where('expiresAt', '<=', now).execute();
    }
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
