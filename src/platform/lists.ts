/** Checks whether a value is a list, of anything. */
export function isList(value: unknown): value is unknown[] {
  return Array.isArray(value);
}

/** Checks whether a value is a whole number that a double holds exactly. */
export function isWholeNumber(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

/** Checks whether a value is one of some texts, and narrows its type to theirs. */
export function isOneOf<T extends string>(texts: readonly T[], value: unknown): value is T {
  const all: readonly unknown[] = texts;
  return all.includes(value);
}

/** Returns the last item of a list that is not empty. */
export function lastOf<T>(list: readonly T[]): T {
  const [ last ] = list.slice(-1);
  return last;
}

/** Groups items by key, in their order, at a cost in proportion to their number. */
export function groupBy<TKey, TItem>(items: Iterable<TItem>, keyOf: (item: TItem) => TKey): Map<TKey, TItem[]> {
  const groups = new Map<TKey, TItem[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) {
      group.push(item);
    } else {
      groups.set(key, [ item ]);
    }
  }
  return groups;
}

/** Returns the member names of an object that has no members beyond its type, such as a literal. */
export function namesOf<T extends object>(object: T): (keyof T & string)[] {
  return Object.keys(object) as (keyof T & string)[];
}
