import { isRecord } from '../platform/isRecord';
import { isList } from '../platform/lists';

/** A value of JSON-LD as a list: JSON-LD lets a list of one be written without brackets. */
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

/** The `id` of a JSON object, or the string that stands for it. */
export function idOf(value: unknown): string | undefined {
  const id = isRecord(value) ? value.id : value;
  return typeof id === 'string' ? id : undefined;
}
