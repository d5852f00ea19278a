import { hash } from 'node:crypto';
import type { ProofOutcome, ProofStore } from './ProofStore';

interface Proofs {
  digests: string[];
  callers: string[];
}

/**
 * Remembers DPoP proofs in the memory of one process: about 120 bytes each, exact to a hash of 256 bits.
 *
 * Several processes need a store that they share, or a proof works once in each of them.
 */
export class MemoryProofStore implements ProofStore {
  private readonly seen = new Set<string>();
  private readonly counts = new Map<string, number>();
  /** Proofs by the second in which they expire. */
  private readonly expiring = new Map<number, Proofs>();
  private sweptAt = 0;

  /**
   * @param maxPerCaller - Proofs remembered of one caller; more are `too-many` until some expire.
   */
  public constructor(private readonly maxPerCaller = 20_000) {}

  public async remember(caller: string, jti: string, expiresAt: Date, now: Date): Promise<ProofOutcome> {
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
    this.expireIn(seconds(expiresAt), digest, caller);
    return 'fresh';
  }

  private expireIn(second: number, digest: string, caller: string): void {
    const proofs = this.expiring.get(second) ?? { digests: [], callers: []};
    proofs.digests.push(digest);
    proofs.callers.push(caller);
    this.expiring.set(second, proofs);
  }

  private forgetExpired(now: number): void {
    if (now === this.sweptAt) {
      return;
    }
    this.sweptAt = now;
    for (const [ second, proofs ] of this.expiring) {
      if (second < now) {
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
      const count = this.counts.get(caller)! - 1;
      if (count === 0) {
        this.counts.delete(caller);
      } else {
        this.counts.set(caller, count);
      }
    }
  }
}

function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}
