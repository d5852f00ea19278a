import type { StatusEntry } from '../credentials/StatusListStore';
import { parseOwn } from '../platform/ownJson';
import type { Time } from './schema';

/** Converts a date to its stored form. */
export function toTime(date: Date | undefined): Time | null {
  return date ? date.getTime() : null;
}

/** Converts a stored moment to a date. */
export function toDate(time: Time): Date;
/** Does the same for a column that may be empty. */
export function toDate(time: Time | null): Date | undefined;
export function toDate(time: Time | null): Date | undefined {
  return time === null ? undefined : new Date(time);
}

/** Parses a list of strings, stored as JSON. */
export function toList<T extends string>(text: string): T[] {
  return parseOwn(text);
}

/** Joins the two columns that store a place in a status list. */
export function toStatusEntry(listId: string | null, index: number | null): StatusEntry | undefined {
  return listId === null || index === null ? undefined : { listId, index };
}
