import type { StatusEntry } from '../credentials/StatusListStore';
import { parseOwn } from '../platform/ownJson';
import type { Time } from './schema';

/** A moment as it is stored. */
export function toTime(date: Date | undefined): Time | null {
  return date ? date.getTime() : null;
}

/** A stored moment. */
export function toDate(time: Time): Date;
/** The same of a column that may be empty. */
export function toDate(time: Time | null): Date | undefined;
export function toDate(time: Time | null): Date | undefined {
  return time === null ? undefined : new Date(time);
}

/** A list of strings as it is stored: JSON. */
export function toList<T extends string>(text: string): T[] {
  return parseOwn(text);
}

/** A place in a status list, stored in two columns. */
export function toStatusEntry(listId: string | null, index: number | null): StatusEntry | undefined {
  return listId === null || index === null ? undefined : { listId, index };
}
