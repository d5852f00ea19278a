/* eslint-disable unicorn/no-process-exit -- this is the command line */
import { join } from 'node:path';
import { exitCodes } from '../commands/Command';
import { isCommand, runCommand } from '../commands/runCommand';

const packageRoot = join(__dirname, '../../..');

/** Command-line defaults of this package, where they differ from the server's. */
const defaults: { flags: string[]; environment: string; value: string[] }[] = [
  { flags: [ '-c', '--config' ], environment: 'CSS_CONFIG', value: [ join(packageRoot, 'config/file.json') ]},
  { flags: [ '-f', '--rootFilePath' ], environment: 'CSS_ROOT_FILE_PATH', value: [ './pods' ]},
  { flags: [ '-m', '--mainModulePath' ], environment: 'CSS_MAIN_MODULE_PATH', value: [ packageRoot ]},
];

/**
 * The arguments with this package's defaults for the flags that are neither given nor in the environment.
 *
 * @param argv - Arguments as Node has them: executable and script first.
 */
export function withDefaults(argv: string[], environment: NodeJS.ProcessEnv): string[] {
  const missing = defaults.filter((entry): boolean => environment[entry.environment] === undefined &&
    !argv.some((arg): boolean => entry.flags.some((flag): boolean => arg === flag || arg.startsWith(`${flag}=`))));
  return [ ...argv, ...missing.flatMap(({ flags, value }): string[] => [ flags[1], ...value ]) ];
}

/** Carries out a command of the operator when the first argument is one; else starts the server. */
export function main(argv: string[]): void {
  const words = argv.slice(2);
  (isCommand(words) ? command(words) : startServer(argv)).catch((error: unknown): void => {
    process.stderr.write(`${(error as Error).message.split('\n    at ')[0]}\n`);
    process.exit(1);
  });
}

async function command(words: string[]): Promise<void> {
  const { stdin: input, stdout: output, stderr: errors } = process;
  // Who reads the answer may have read enough.
  output.on('error', (): never => process.exit(exitCodes.failed));
  process.exitCode = await runCommand(words, process.env, { input, output, errors });
}

/** The server takes seconds to load: commands do without it. */
async function startServer(argv: string[]): Promise<void> {
  if (argv.includes('--help')) {
    process.stdout.write('`css-data-sharing help` lists the commands of the operator. Flags of the server:\n\n');
  }
  // eslint-disable-next-line import/extensions -- an import at run time names its file
  const { serve } = await import('./serve.js');
  await serve(withDefaults(argv, process.env));
}
