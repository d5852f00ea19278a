import { columns } from './commands/columns';
import type { ServerFlag } from './serverSettings';
import { serverFlags } from './serverSettings';

/** What the server says of flags that have another default here. */
const ownDescriptions: Readonly<Record<string, string>> = {
  config: 'The configuration(s) of the server. Default: config/file.json of this package.',
  mainModulePath: 'Where packages are looked for that configurations name. Default: this package.',
  rootFilePath: 'Root folder of the pods, when they are files. Default: ./pods.',
};

/** The flags of the server in the configurations of this package, a line each. */
export function flagLines(): string[] {
  return columns(serverFlags().map(({ name, options }): [string, string] =>
    [ nameFlag(name, options), ownDescriptions[name] ?? options.describe ]));
}

function nameFlag(name: string, { alias, type = 'string' }: ServerFlag['options']): string {
  return `${alias === undefined ? '    ' : `-${alias}, `}--${name}${type === 'boolean' ? '' : ` <${type}>`}`;
}
