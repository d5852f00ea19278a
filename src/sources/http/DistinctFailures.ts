import type { IBreaker } from 'cockatiel';
import { BoundedMap } from '../../platform/BoundedMap';

/** How many consecutive failures are an outage. */
export interface OutageSigns {
  failures: number;
  /** Different requests among them: one that always fails, such as about one citizen, says nothing about the others. */
  requests: number;
}

const maxRemembered = 1000;

/** The failures of a request since it last succeeded. */
interface RequestFailures {
  times: number;
  /** Time of the last one, in ms since some moment. */
  at: number;
}

/** Breaks a circuit after several consecutive failures of different requests. */
export class DistinctFailures implements IBreaker {
  /** Consecutive failures. */
  public state = 0;
  /** Requests that failed since the last success. */
  private readonly failed = new Set<string>();
  private readonly byRequest = new BoundedMap<string, RequestFailures>(maxRemembered);

  public constructor(private readonly signs: OutageSigns) {}

  /** Notes which request fails, before {@link failure} counts it. */
  public note(request: string): void {
    if (this.failed.size < this.signs.requests) {
      this.failed.add(request);
    }
    this.byRequest.set(request, { times: (this.byRequest.get(request)?.times ?? 0) + 1, at: performance.now() });
  }

  /** Forgets the failures of a request that succeeds. */
  public forget(request: string): void {
    this.byRequest.delete(request);
  }

  /** Checks whether a request failed within a time: another one shows better whether an outage has ended. */
  public hasFailed(request: string, withinMs: number): boolean {
    const found = this.byRequest.get(request);
    return found !== undefined && performance.now() - found.at < withinMs;
  }

  /** Checks whether a request failed so often, and within a time, that it is an outage for this request. */
  public keepsFailing(request: string, withinMs: number): boolean {
    return (this.byRequest.get(request)?.times ?? 0) >= this.signs.failures && this.hasFailed(request, withinMs);
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
