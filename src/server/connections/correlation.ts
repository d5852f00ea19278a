import { AsyncLocalStorage } from 'node:async_hooks';

const ids = new AsyncLocalStorage<string>();
let isKept = false;

/**
 * Remembers from now on which request each piece of work is for. That costs a little at every step of every request, so
 * nothing is remembered before this was called.
 */
export function keepCorrelation(): void {
  isKept = true;
}

/** Does work that is for a request. */
export function correlated<T>(correlationId: string, work: () => T): T {
  return isKept ? ids.run(correlationId, work) : work();
}

/** The correlation id of the request that is being worked on, when that is kept. */
export function currentCorrelationId(): string | undefined {
  return isKept ? ids.getStore() : undefined;
}
