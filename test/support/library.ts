import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';

/** Returns the exports of a file of a library, from a fresh copy that no suite has changed. */
export function freshCopyOf<T>(path: string): T {
  const copy = { exports: {}};
  const run = compileFunction(readFileSync(path, 'utf8'), [ 'module', 'exports', 'require' ]) as
    (...args: unknown[]) => void;
  run(copy, copy.exports, createRequire(path));
  return copy.exports as T;
}

/** All texts of up to a number of characters. */
export function textsOf(characters: string[], length: number): string[] {
  const shorter = length === 0 ? [] : textsOf(characters, length - 1);
  return [ '', ...shorter.flatMap((text): string[] => characters.map((each): string => `${text}${each}`)) ];
}
