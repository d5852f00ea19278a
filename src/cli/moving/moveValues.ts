import type { OwnValues } from './PodSide';
import { count } from './PodSide';

/** Prefix of data that the server keeps only in a database, separately from its values. */
const apart = 'backend/';

/** Copies all values, overwriting those from an earlier run. */
export async function moveValues(from: OwnValues, to: OwnValues): Promise<void> {
  for await (const [ key, value ] of listOwn(from)) {
    await to.set(key, value);
  }
}

/**
 * Reads and compares both sides.
 *
 * @returns The number of values.
 *
 * @throws Error when they differ. The message names no key, because keys may contain somebody's name.
 */
export async function compareValues(from: OwnValues, to: OwnValues): Promise<number> {
  let compared = 0;
  for await (const [ key, value ] of listOwn(from)) {
    if (JSON.stringify(await to.get(key)) !== JSON.stringify(value)) {
      throw new Error('The values of the server differ between the two sides: empty the target and start again');
    }
    compared += 1;
  }
  const there = await count(listOwn(to));
  if (there !== compared) {
    throw new Error(`There are ${there} values of the server at the target and ${compared} at the source: ` +
      'empty the target and start again');
  }
  return compared;
}

async function* listOwn(values: OwnValues): AsyncIterable<[string, unknown]> {
  for await (const [ key, value ] of values.entries()) {
    if (!key.startsWith(apart)) {
      yield [ key, value ];
    }
  }
}
