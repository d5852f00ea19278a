import { didYouMean } from '../platform/nearest';
import { columns } from './commands/columns';
import type { ServerFlag } from './serverSettings';
import { serverFlags } from './serverSettings';

/** Lists the server's flags in the configurations of this package, one per line. */
export function flagLines(): string[] {
  return columns(serverFlags().map(({ name, options }): [string, string] =>
    [ nameFlag(name, options), options.describe ]));
}

/** Flags that every command line of the server takes, besides those of configurations. */
const usualFlags = [ 'help', 'version' ];

/**
 * Finds a flag that no configuration of this package defines.
 *
 * @param words - Arguments of a start, without executable and script.
 *
 * @returns A message with the most similar known flag; `undefined` when all flags are known.
 */
export function findUnknownFlag(words: string[]): string | undefined {
  const names = [ ...usualFlags, ...serverFlags().map(({ name }): string => name) ];
  const given = words.filter((word): boolean => /^--[a-z]/iu.test(word))
    .map((word): string => word.slice(2).split('=', 1)[0]);
  const unknown = given.find((flag): boolean => !isFlag(flag, names));
  return unknown === undefined ?
    undefined :
    `There is no flag --${unknown}${didYouMean(unknown, names, '--') || '.'} --help lists all.`;
}

/** Checks for a known flag. Flags may also be in kebab case, and switches may begin with `no-`. */
function isFlag(flag: string, names: string[]): boolean {
  const name = flag.replaceAll(/-[a-z]/giu, (text: string): string => text[1].toUpperCase());
  const switched = /^no([A-Z])(.*)$/u.exec(name);
  return names.includes(name) ||
    (switched !== null && names.includes(switched[1].toLowerCase() + switched[2]));
}

function nameFlag(name: string, { alias, type = 'string' }: ServerFlag['options']): string {
  return `${alias === undefined ? '    ' : `-${alias}, `}--${name}${type === 'boolean' ? '' : ` <${type}>`}`;
}
