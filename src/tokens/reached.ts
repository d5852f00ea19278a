import { isFetchError } from '../platform/fetchErrors';
import { Refusal } from './Refusal';

/** @throws Refusal with this message when the work could not reach another server. */
export async function reached<T>(work: Promise<T>, message: string): Promise<T> {
  try {
    return await work;
  } catch (error: unknown) {
    throw isFetchError(error) ? new Refusal(message, 'invalid_token', { cause: error }) : error;
  }
}
