import { dirname, join, resolve } from 'node:path';
import { valuesOf } from './valuesOf';

/** Folder of this package. */
export const packageRoot = join(__dirname, '../..');

interface Default {
  flags: string[];
  environment: string;
  value: string[];
}

/** Command-line defaults of this package, where they differ from the server's. */
const defaults: Default[] = [
  { flags: [ '-c', '--config' ], environment: 'CSS_CONFIG', value: [ join(packageRoot, 'config/file.json') ]},
  { flags: [ '-f', '--rootFilePath' ], environment: 'CSS_ROOT_FILE_PATH', value: [ './pods' ]},
  { flags: [ '-m', '--mainModulePath' ], environment: 'CSS_MAIN_MODULE_PATH', value: [ packageRoot ]},
];

/**
 * Adds this package's defaults for flags that are neither given nor in the environment.
 *
 * @param argv - Arguments as Node provides them, beginning with executable and script.
 */
export function withDefaults(argv: string[], environment: NodeJS.ProcessEnv): string[] {
  const missing = defaults.filter((entry): boolean => !isGiven(entry, argv, environment));
  return [ ...argv, ...missing.flatMap(({ flags, value }): string[] => [ flags[1], ...value ]) ];
}

/** Checks whether arguments or environment name a configuration. */
export function namesConfiguration(argv: string[], environment: NodeJS.ProcessEnv): boolean {
  return isGiven(defaults[0], argv, environment);
}

/** Checks whether a start uses only presets of this package, whose flags are known without loading the server. */
export function ownsConfiguration(argv: string[], environment: NodeJS.ProcessEnv): boolean {
  if (!namesConfiguration(argv, environment)) {
    return true;
  }
  const given = valuesOf(argv, defaults[0].flags) ?? [];
  return given.length > 0 && given.every((file): boolean => dirname(resolve(file)) === join(packageRoot, 'config'));
}

function isGiven({ flags, environment: variable }: Default, argv: string[], environment: NodeJS.ProcessEnv): boolean {
  return environment[variable] !== undefined || valuesOf(argv, flags) !== undefined;
}
