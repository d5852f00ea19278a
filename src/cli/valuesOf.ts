/**
 * Reads the values of a flag from the arguments of a start.
 *
 * @param argv - Arguments, with or without executable and script.
 * @param flags - Forms of the flag: `-c`, `--config`.
 *
 * @returns The words after the flag, up to the next flag, or the text after `=`; `undefined` when it is not given.
 */
export function valuesOf(argv: string[], flags: string[]): string[] | undefined {
  const at = argv.findIndex((word): boolean => flags.includes(word.split('=', 1)[0]));
  if (at === -1) {
    return;
  }
  if (argv[at].includes('=')) {
    return [ argv[at].slice(argv[at].indexOf('=') + 1) ];
  }
  const after = argv.slice(at + 1);
  const end = after.findIndex((word): boolean => word.startsWith('-'));
  return end === -1 ? after : after.slice(0, end);
}

/** Returns the first value of a flag, or `otherwise` when the flag is not given. See {@link valuesOf}. */
export function valueOf<T extends string | undefined>(argv: string[], flags: string[], otherwise: T): string | T {
  const given = valuesOf(argv, flags);
  return given ? given[0] : otherwise;
}
