import { hash } from 'node:crypto';
import type { ElapsedMs } from '../platform/clock';
import type { ProofOutcome, ProofStore } from './ProofStore';

interface Proofs {
  digests: string[];
  callers: string[];
  /** Monotonic time at which all of them have expired, whatever the clock says. */
  elapsedMs: number;
}

/**
 * Remembers DPoP proofs in the memory of one process: about 120 bytes each, exact to a hash of 256 bits.
 *
 * Several processes need a shared store, or a proof works once in each of them.
 *
 * A proof is forgotten when the clock is past its end and its remaining lifetime has also elapsed: a clock that jumps
 * ahead and back makes no proof usable again.
 */
export class MemoryProofStore implements ProofStore {
  private readonly seen = new Set<string>();
  private readonly counts = new Map<string, number>();
  /** Proofs by the second in which they expire. */
  private readonly expiring = new Map<number, Proofs>();
  private sweptAt = 0;

  /**
   * @param maxPerCaller - Maximum remembered proofs of one caller; more are `too-many` until some expire.
   * @param elapsed - Monotonic clock.
   */
  public constructor(
    private readonly maxPerCaller = 20_000,
    private readonly elapsed: ElapsedMs = (): number => performance.now(),
  ) {}

  public async remember(caller: string, jti: string, expiresAt: Date, now: Date): Promise<ProofOutcome> {
    return this.rememberNow(caller, jti, expiresAt, now);
  }

  /** Remembers a proof synchronously. */
  public rememberNow(caller: string, jti: string, expiresAt: Date, now: Date): ProofOutcome {
    this.forgetExpired(seconds(now));
    const digest = hash('sha256', `${caller}\n${jti}`, 'binary');
    if (this.seen.has(digest)) {
      return 'replayed';
    }
    const count = this.counts.get(caller) ?? 0;
    if (count >= this.maxPerCaller) {
      return 'too-many';
    }
    this.counts.set(caller, count + 1);
    this.seen.add(digest);
    this.expire(digest, caller, expiresAt, now);
    return 'fresh';
  }

  private expire(digest: string, caller: string, expiresAt: Date, now: Date): void {
    const second = seconds(expiresAt);
    const proofs = this.expiring.get(second) ?? { digests: [], callers: [], elapsedMs: 0 };
    proofs.digests.push(digest);
    proofs.callers.push(caller);
    proofs.elapsedMs = Math.max(proofs.elapsedMs, this.elapsed() + expiresAt.getTime() - now.getTime());
    this.expiring.set(second, proofs);
  }

  private forgetExpired(now: number): void {
    if (now === this.sweptAt) {
      return;
    }
    this.sweptAt = now;
    const elapsedMs = this.elapsed();
    for (const [ second, proofs ] of this.expiring) {
      if (second < now && proofs.elapsedMs <= elapsedMs) {
        this.forget(proofs);
        this.expiring.delete(second);
      }
    }
  }

  private forget({ digests, callers }: Proofs): void {
    for (const digest of digests) {
      this.seen.delete(digest);
    }
    for (const caller of callers) {
      const count = this.counts.get(caller) ?? 0;
      if (count <= 1) {
        this.counts.delete(caller);
      } else {
        this.counts.set(caller, count - 1);
      }
    }
  }
}

function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}
