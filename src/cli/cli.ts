/* eslint-disable unicorn/no-process-exit -- this is the command line */
import { codeOf, messageOf } from '../platform/errors';
import { expectHangUps } from '../server/process/reloadOnHangUp';
import { deferPackages } from '../server/start/deferPackages';
import { exitCodes } from './commands/Command';
import { overview } from './commands/help';
import { isCommand, runCommand } from './commands/runCommand';
import { findUnknownFlag, flagLines } from './flags';
import { requireBaseUrl } from './requireBaseUrl';
import { requireFreePort } from './requireFreePort';
import { requireSeed } from './requireSeed';
import { requireWholeWorkers } from './requireWholeWorkers';
import { namesConfiguration, ownsConfiguration, withDefaults } from './serverArguments';

/** Flag of a start that only reads the configuration. */
const preparation = '--prepare';
const preparationHelp = `With ${preparation} it reads its configuration, so that later starts are quick, and ends.`;

/** Runs an operator's command if the first argument is one; otherwise starts the server. */
export function main(argv: string[]): void {
  const words = argv.slice(2);
  (isCommand(words) ? command(words) : startServer(argv)).catch((error: unknown): void => {
    process.stderr.write(`${withoutDetours(messageOf(error))}\n`);
    process.exit(1);
  });
}

/** Returns the message of a failed start without its stack trace and the variable name of a flag. */
export function withoutDetours(message: string): string {
  return message.split('\n    at ')[0].trim()
    .replace(/\n\w*Error: /u, ': ')
    .replace(/Error in computing value for variable \S+: /u, '');
}

/** Ends when the output cannot be written, without a message if only its reader has closed it, such as `head`. */
function endWithoutOutput(error: Error): never {
  if (codeOf(error) !== 'EPIPE') {
    process.stderr.write(`The output could not be written: ${error.message}\n`);
  }
  process.exit(exitCodes.failed);
}

async function command(words: string[]): Promise<void> {
  const { stdin: input, stdout: output, stderr: errors } = process;
  output.on('error', endWithoutOutput);
  process.exitCode = await runCommand(words, process.env, { input, output, errors });
}

/** Starts the server. It is loaded only here, because loading takes seconds, which commands and help avoid. */
async function startServer(argv: string[]): Promise<void> {
  // Only the server knows the flags of other configurations.
  if (argv.includes('--help') && !namesConfiguration(argv, process.env)) {
    process.stdout.on('error', endWithoutOutput);
    const flags = flagLines().join('\n');
    process.stdout.write(`${overview()}\nFlags of the server:\n\n${flags}\n\n${preparationHelp}\n`);
    return;
  }
  const isOwn = ownsConfiguration(argv, process.env);
  const unknown = isOwn ? findUnknownFlag(argv.slice(2).filter((word): boolean => word !== preparation)) : undefined;
  if (unknown !== undefined) {
    throw new Error(unknown);
  }
  const isPreparation = argv.includes(preparation);
  if (!isPreparation) {
    expectHangUps();
  }
  const words = withDefaults(argv.filter((word): boolean => word !== preparation), process.env);
  if (!isPreparation) {
    requireBaseUrl(words, process.env);
    requireWholeWorkers(words, process.env);
    await requireSeed(words, process.env);
    await requireFreePort(words, process.env);
  }
  deferPackages();
  const { prepare, serve } = await import('./serve.js');
  await (isPreparation ? prepare(words) : serve(words));
}
