/** Checks whether a value is a list, whatever is in it. */
export function isList(value: unknown): value is unknown[] {
  return Array.isArray(value);
}

/** Checks whether a value is a whole number that a double holds exactly. */
export function isWholeNumber(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

/** Checks whether a value is one of some texts, and so of their type. */
export function isOneOf<T extends string>(texts: readonly T[], value: unknown): value is T {
  const all: readonly unknown[] = texts;
  return all.includes(value);
}

/** The last item of a list that is not empty. */
export function lastOf<T>(list: readonly T[]): T {
  const [ last ] = list.slice(-1);
  return last;
}

/** The names of an object that has no others than its type says: one that was written out, or made by this package. */
export function namesOf<T extends object>(object: T): (keyof T & string)[] {
  return Object.keys(object) as (keyof T & string)[];
}
