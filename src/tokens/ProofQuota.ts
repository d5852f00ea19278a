/** Counts the unexpired DPoP proofs of each caller, in constant time. */
export class ProofQuota {
  private readonly counts = new Map<string, number>();
  /** Proofs by the second in which they expire, and then by caller. */
  private readonly expiring = new Map<number, Map<string, number>>();
  private sweptAt = 0;

  /**
   * @param maxPerCaller - Maximum unexpired proofs of one caller.
   */
  public constructor(private readonly maxPerCaller: number) {}

  /** Counts a proof. Returns false, without counting, when its caller has too many. */
  public take(caller: string, expiresAt: Date, now: Date): boolean {
    this.forgetExpired(Math.floor(now.getTime() / 1000));
    const count = this.counts.get(caller) ?? 0;
    if (count >= this.maxPerCaller) {
      return false;
    }
    this.counts.set(caller, count + 1);
    const second = secondOf(expiresAt);
    const callers = this.expiring.get(second) ?? new Map<string, number>();
    callers.set(caller, (callers.get(caller) ?? 0) + 1);
    this.expiring.set(second, callers);
    return true;
  }

  /** Uncounts a proof, unless it has expired. */
  public giveBack(caller: string, expiresAt: Date): void {
    const callers = this.expiring.get(secondOf(expiresAt));
    if (callers && subtract(callers, caller, 1)) {
      subtract(this.counts, caller, 1);
    }
  }

  private forgetExpired(now: number): void {
    if (now === this.sweptAt) {
      return;
    }
    this.sweptAt = now;
    for (const [ second, callers ] of this.expiring) {
      if (second <= now) {
        for (const [ caller, count ] of callers) {
          subtract(this.counts, caller, count);
        }
        this.expiring.delete(second);
      }
    }
  }
}

/** Returns false when there was nothing to subtract from. */
function subtract(counts: Map<string, number>, caller: string, count: number): boolean {
  const rest = (counts.get(caller) ?? 0) - count;
  if (rest > 0) {
    counts.set(caller, rest);
  } else {
    counts.delete(caller);
  }
  return rest >= 0;
}

function secondOf(moment: Date): number {
  return Math.ceil(moment.getTime() / 1000);
}
