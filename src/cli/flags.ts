import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { columns } from './commands/columns';

interface Parameter {
  name: string;
  options: { alias?: string; type?: string; describe: string };
}

const declarationOfFlags = 'urn:solid-server-app-setup:default:CliExtractor';

/** What the server says of flags that have another default here. */
const ownDescriptions: Readonly<Record<string, string>> = {
  config: 'The configuration(s) of the server. Default: config/file.json of this package.',
  mainModulePath: 'Where packages are looked for that configurations name. Default: this package.',
  rootFilePath: 'Root folder of the pods, when they are files. Default: ./pods.',
};

/**
 * The flags of the server in the configurations of this package, a line each: the server's own, then those of the
 * package.
 *
 * They are read as they stand in the configuration files, without loading the server, which takes seconds.
 *
 * @param packageRoot - Folder of this package.
 */
export function flagLines(packageRoot: string): string[] {
  const server = dirname(require.resolve('@solid/community-server/package.json', { paths: [ packageRoot ]}));
  const folder = join(packageRoot, 'config/data-sharing');
  const files = [
    join(server, 'config/app/variables/cli/cli.json'),
    ...readdirSync(folder).filter((name): boolean => name.endsWith('.json')).sort()
      .map((name): string => join(folder, name)),
  ];
  return columns(files.flatMap(readFlags).map(({ name, options }): [string, string] =>
    [ nameFlag(name, options), ownDescriptions[name] ?? options.describe ]));
}

function readFlags(file: string): Parameter[] {
  const { '@graph': components } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Record<string, unknown>[]>;
  return components.filter((component): boolean => component['@id'] === declarationOfFlags)
    .flatMap(({ parameters }): Parameter[] => parameters as Parameter[]);
}

function nameFlag(name: string, { alias, type = 'string' }: Parameter['options']): string {
  return `${alias === undefined ? '    ' : `-${alias}, `}--${name}${type === 'boolean' ? '' : ` <${type}>`}`;
}
