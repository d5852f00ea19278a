import { AsyncLocalStorage } from 'node:async_hooks';

const ids = new AsyncLocalStorage<string>();
let isKept = false;

/**
 * Starts to track the request of each piece of work. Tracking costs a little at every step of every request, so it is
 * off before this call.
 */
export function keepCorrelation(): void {
  isKept = true;
}

/**
 * Runs work for a request.
 *
 * @param always - True for work that needs the id even when it is not tracked for the log.
 */
export function correlated<T>(correlationId: string, work: () => T, always = false): T {
  return isKept || always ? ids.run(correlationId, work) : work();
}

/** Returns the correlation id of the current request, if it is tracked. */
export function currentCorrelationId(): string | undefined {
  return ids.getStore();
}
