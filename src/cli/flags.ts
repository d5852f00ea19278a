import { didYouMean } from '../platform/nearest';
import { columns } from './commands/columns';
import type { ServerFlag } from './serverSettings';
import { serverFlags } from './serverSettings';

/** Descriptions of flags that have another default here. */
const ownDescriptions: Readonly<Record<string, string>> = {
  config: 'The configuration(s) of the server. Default: config/file.json of this package.',
  mainModulePath: 'Folder from which packages named in configurations are found. Default: this package.',
  rootFilePath: 'Root folder of the pods, when they are files. Default: ./pods.',
};

/** The flags of the server in the configurations of this package, a line each. */
export function flagLines(): string[] {
  return columns(serverFlags().map(({ name, options }): [string, string] =>
    [ nameFlag(name, options), ownDescriptions[name] ?? options.describe ]));
}

/** Flags that each command line of the server takes, beside those of configurations. */
const usualFlags = [ 'help', 'version' ];

/**
 * Finds a flag that no configuration of this package has.
 *
 * @param words - Arguments of a start, without executable and script.
 *
 * @returns What is wrong, with the nearest flag there is; `undefined` when all are known.
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

/** Flags are taken in kebab case, too, and switches with `no-` before them. */
function isFlag(flag: string, names: string[]): boolean {
  const name = flag.replaceAll(/-[a-z]/giu, (text: string): string => text[1].toUpperCase());
  const switched = /^no([A-Z])(.*)$/u.exec(name);
  return names.includes(name) ||
    (switched !== null && names.includes(switched[1].toLowerCase() + switched[2]));
}

function nameFlag(name: string, { alias, type = 'string' }: ServerFlag['options']): string {
  return `${alias === undefined ? '    ' : `-${alias}, `}--${name}${type === 'boolean' ? '' : ` <${type}>`}`;
}
