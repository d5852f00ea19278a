import { once } from 'node:events';

/** Waits for work until a signal aborts: then throws the signal's reason, and the outcome of the work is ignored. */
export async function before<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const done = new AbortController();
  try {
    return await Promise.race([ work, aborted(signal, done.signal) ]);
  } finally {
    done.abort();
  }
}

async function aborted(signal: AbortSignal, done: AbortSignal): Promise<never> {
  if (!signal.aborted) {
    await once(signal, 'abort', { signal: done });
  }
  signal.throwIfAborted();
  throw new Error('The signal is not aborted');
}
