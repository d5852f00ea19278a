import { isRecord } from '../platform/isRecord';
import { isList } from '../platform/lists';

/** Returns a JSON-LD value as a list: JSON-LD allows a list of one without brackets. */
export function asList(value: unknown): unknown[] {
  if (value === undefined || value === null) {
    return [];
  }
  return isList(value) ? value : [ value ];
}

/** A shallow copy of a JSON object without some of its members. */
export function without(value: object, ...members: string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([ member ]): boolean => !members.includes(member)));
}

/** Returns the `id` of a JSON object, or a string given in place of the object. */
export function idOf(value: unknown): string | undefined {
  const id = isRecord(value) ? value.id : value;
  return typeof id === 'string' ? id : undefined;
}
