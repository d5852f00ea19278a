import type { IBreaker } from 'cockatiel';
import { BoundedMap } from '../../platform/BoundedMap';

/** How many consecutive failures are an outage. */
export interface OutageSigns {
  failures: number;
  /** Different requests among them: one that always fails, such as about one citizen, says nothing about the others. */
  requests: number;
}

const maxRemembered = 1000;

/** Breaks a circuit after several consecutive failures of different requests. */
export class DistinctFailures implements IBreaker {
  /** Consecutive failures. */
  public state = 0;
  /** Requests that failed since the last success. */
  private readonly failed = new Set<string>();
  /** When each of the last failing requests failed, in ms since some moment. */
  private readonly failedAt = new BoundedMap<string, number>(maxRemembered);

  public constructor(private readonly signs: OutageSigns) {}

  /** Notes which request fails, before {@link failure} counts it. */
  public note(request: string): void {
    if (this.failed.size < this.signs.requests) {
      this.failed.add(request);
    }
    this.failedAt.set(request, performance.now());
  }

  /** Checks whether a request failed within a time: another one shows better whether an outage has ended. */
  public hasFailed(request: string, withinMs: number): boolean {
    const at = this.failedAt.get(request);
    return at !== undefined && performance.now() - at < withinMs;
  }

  public success(): void {
    this.state = 0;
    this.failed.clear();
  }

  public failure(): boolean {
    this.state += 1;
    return this.state >= this.signs.failures && this.failed.size >= this.signs.requests;
  }
}
