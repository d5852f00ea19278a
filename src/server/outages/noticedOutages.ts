import { AsyncLocalStorage } from 'node:async_hooks';
import { isOutage } from '../../platform/outage';
import { outageError } from './unavailable';

/** The first outage that a request has met. */
interface Noticed {
  outage?: unknown;
}

const noticed = new AsyncLocalStorage<Noticed>();

/** Reads or changes something for a request, and notes it if an outage prevents that. */
export async function noticingOutages<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error: unknown) {
    const notes = noticed.getStore();
    if (notes && isOutage(error)) {
      notes.outage ??= error;
    }
    throw error;
  }
}

/**
 * Handles a request by work that may take a failed look-up for a negative result, as the server does with a password
 * that it cannot compare.
 *
 * @throws The error of an outage, instead of a refusal that follows a noted one.
 */
export async function refusingInOutages<T>(work: () => Promise<T>): Promise<T> {
  const notes: Noticed = {};
  try {
    return await noticed.run(notes, work);
  } catch (error: unknown) {
    throw notes.outage === undefined ? error : outageError(notes.outage);
  }
}
