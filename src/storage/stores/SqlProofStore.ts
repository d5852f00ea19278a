import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { ProofOutcome, ProofStore } from '../../tokens/ProofStore';
import { ProofQuota } from '../../tokens/ProofQuota';
import type { Engine } from '../database/engine';
import { Gathering } from '../database/Gathering';
import { Statement } from '../database/Statement';
import type { Database } from '../schema';

/** Interval at which expired proofs are removed. */
const sweepSeconds = 30;

/** A proof to record: digests, and times in milliseconds. */
interface Offered {
  caller: string;
  jti: string;
  expiresAt: number;
  now: number;
}

/**
 * DPoP proofs in the records, for several processes that serve the same callers. One statement records the proofs of
 * requests that arrive at the same time. Each process counts the proofs of a caller by itself.
 */
export class SqlProofStore implements ProofStore {
  private nextSweep = 0;
  private readonly quota: ProofQuota;
  private readonly insertion: Statement<[string, number], { caller: string; jti: string }>;
  private readonly gathering: Gathering<Offered, boolean>;

  /**
   * @param db - Connection to the records.
   * @param engine - Engine of their database.
   * @param maxPerCaller - Maximum proofs of one caller that one process remembers.
   */
  public constructor(
    private readonly db: Database,
    private readonly engine: Engine,
    maxPerCaller = 10_000,
  ) {
    this.quota = new ProofQuota(maxPerCaller);
    this.gathering = new Gathering(async(offered): Promise<boolean[]> => this.insert(offered));
    // A single statement, so that only one of two processes with the same proof finds it fresh.
    this.insertion = new Statement((on, proofs: string, now: number) => on.insertInto('proofs')
      .columns([ 'caller', 'jti', 'expiresAt' ])
      .expression(sql`select value ->> 0, value ->> 1, cast(value ->> 2 as bigint)
        from ${engine.elementsOf(proofs)} where true`)
      .onConflict(conflict => conflict.columns([ 'caller', 'jti' ])
        .doUpdateSet({ expiresAt: eb => eb.ref('excluded.expiresAt') })
        .where('proofs.expiresAt', '<=', now))
      .returning([ 'caller', 'jti' ]));
  }

  public async remember(caller: string, jti: string, expiresAt: Date, now: Date): Promise<ProofOutcome> {
    if (!this.quota.take(caller, expiresAt, now)) {
      return 'too-many';
    }
    let isFresh = false;
    try {
      const offered = {
        caller: digest(caller),
        jti: digest(jti),
        expiresAt: expiresAt.getTime(),
        now: now.getTime(),
      };
      // One request in many waits for the removal of expired proofs.
      [ isFresh ] = await Promise.all([ this.gathering.ask(offered), this.sweep(now.getTime()) ]);
    } finally {
      if (!isFresh) {
        this.quota.giveBack(caller, expiresAt);
      }
    }
    return isFresh ? 'fresh' : 'replayed';
  }

  /** Records proofs; of several with the same digests, the first is fresh. Sorted, so that two nodes never deadlock. */
  private async insert(offered: Offered[]): Promise<boolean[]> {
    const places = new Map(offered.map((proof, place) => [ keyOf(proof), place ] as const).reverse());
    const proofs = [ ...places.values() ].map(place => offered[place]).sort(byKey);
    const rows = proofs.map(({ caller, jti, expiresAt }) => [ caller, jti, expiresAt ]);
    const now = Math.min(...offered.map(proof => proof.now));
    const inserted = await this.insertion.run(this.db, JSON.stringify(rows), now);
    const fresh = new Set(inserted.map(row => places.get(keyOf(row))));
    return offered.map((...[ , place ]) => fresh.has(place));
  }

  private async sweep(now: number): Promise<void> {
    if (now < this.nextSweep) {
      return;
    }
    this.nextSweep = now + (sweepSeconds * 1000);
    const expired = this.db.selectFrom('proofs').select([ 'caller', 'jti' ]).where('expiresAt', '<=', now);
    await this.db.deleteFrom('proofs')
      .where(eb => eb(
        eb.refTuple('caller', 'jti'),
        'in',
        (this.engine.rowLocks ? expired.forUpdate().skipLocked() : expired).$asTuple('caller', 'jti'),
      ))
      .execute();
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

function keyOf({ caller, jti }: { caller: string; jti: string }): string {
  return `${caller} ${jti}`;
}

function byKey(left: Offered, right: Offered): number {
  return keyOf(left) < keyOf(right) ? -1 : 1;
}
