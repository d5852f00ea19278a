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

/**
 * Does work that is for a request.
 *
 * @param always - True for work that needs the id whether or not it is kept for the log.
 */
export function correlated<T>(correlationId: string, work: () => T, always = false): T {
  return isKept || always ? ids.run(correlationId, work) : work();
}

/** The correlation id of the request that is being worked on, when that is kept. */
export function currentCorrelationId(): string | undefined {
  return ids.getStore();
}
