import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseOwn } from '../platform/ownJson';
import { isRecord } from '../platform/isRecord';
import { packageRoot } from './serverArguments';

/** A flag of the server, as a configuration declares it. */
export interface ServerFlag {
  name: string;
  options: { alias?: string; type?: string; describe: string };
}

interface Component extends Record<string, unknown> {
  parameters?: ServerFlag[];
  resolvers?: Record<string, unknown>[];
}

const flagsOf = 'urn:solid-server-app-setup:default:CliExtractor';
const defaultsOf = 'urn:solid-server-app-setup:default:ShorthandResolver';
/** Descriptions of flags that have a different default here. */
const ownDescriptions: Readonly<Record<string, string>> = {
  config: 'The configuration(s) of the server. Default: config/file.json of this package.',
  mainModulePath: 'Folder from which packages named in configurations are found. Default: this package.',
  rootFilePath: 'Root folder of the pods, when they are files. Default: ./pods.',
};

/**
 * Lists the server's flags in the configurations of this package: the server's own, then those of the package.
 *
 * Reads them from the configuration files, because loading the server takes seconds.
 */
export function serverFlags(): ServerFlag[] {
  return configurations().flatMap((file): ServerFlag[] =>
    componentsIn(file, flagsOf).flatMap(({ parameters = []}): ServerFlag[] => parameters))
    .map(({ name, options }): ServerFlag =>
      ({ name, options: { ...options, describe: ownDescriptions[name] ?? options.describe }}));
}

/** Returns the default values of this package's settings, by name. */
export function defaultSettings(): Record<string, unknown> {
  const resolvers = configurations().flatMap((file): Record<string, unknown>[] =>
    componentsIn(file, defaultsOf).flatMap(({ resolvers: all = []}): Record<string, unknown>[] => all));
  return Object.fromEntries(resolvers.map((resolver): [string, unknown] => {
    const value = resolver['CombinedShorthandResolver:_resolvers_value'];
    const { key, defaultValue } = isRecord(value) ? value : {};
    return [ String(key), defaultValue ];
  }));
}

/** Returns the environment variable of a setting: `CSS_ROOT_FILE_PATH` for `rootFilePath`. */
export function variableOf(name: string): string {
  return `CSS_${name.replaceAll(/[A-Z]/gu, (letter): string => `_${letter}`).toUpperCase()}`;
}

function configurations(): string[] {
  const server = dirname(require.resolve('@solid/community-server/package.json', { paths: [ packageRoot ]}));
  const own = [ 'config/server', 'config/data-sharing' ].map((name): string => join(packageRoot, name))
    .flatMap((folder): string[] => readdirSync(folder).filter((name): boolean => name.endsWith('.json')).sort()
      .map((name): string => join(folder, name)));
  return [
    join(server, 'config/app/variables/cli/cli.json'),
    ...own,
    join(packageRoot, 'config/plan-requests.json'),
  ];
}

function componentsIn(file: string, id: string): Component[] {
  const { '@graph': components } = parseOwn<Record<string, Component[]>>(readFileSync(file, 'utf8'));
  return components.filter((component): boolean => component['@id'] === id);
}
