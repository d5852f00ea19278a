import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCommand } from '../../src/cli/commands/runCommand';
import type { TestServer } from './world';

const bin = join(__dirname, '../../bin/css-data-sharing.js');

/** Result of a command. */
export interface CommandAnswer {
  code: number;
  /** Its standard output. */
  output: string;
  /** Its standard error. */
  errors: string;
  /** The lines of an NDJSON result. */
  lines: () => Record<string, unknown>[];
}

/** Locations of the data that a command works on. */
export interface CommandPlace {
  records: string;
  keys: string;
  pods?: string;
}

/**
 * Runs a command of the operator on records, in this process.
 *
 * @param place - Values of `--records`, `--keys` and `--rootFilePath`.
 * @param words - Command and options.
 * @param input - Its standard input.
 * @param env - Environment besides the place.
 */
export async function operate(
  place: CommandPlace,
  words: string[],
  input = '',
  env: NodeJS.ProcessEnv = {},
): Promise<CommandAnswer> {
  const output = new PassThrough();
  const errors = new PassThrough();
  const outputText = text(output);
  const errorText = text(errors);
  const code = await runCommand(words, {
    ...env,
    CSS_RECORDS: place.records,
    CSS_KEYS: place.keys,
    CSS_ROOT_FILE_PATH: place.pods ?? '/nowhere/pods',
  }, { input: Readable.from([ Buffer.from(input) ]), output, errors });
  output.end();
  errors.end();
  const answer = await outputText;
  return {
    code,
    output: answer,
    errors: await errorText,
    lines: (): Record<string, unknown>[] => answer.trim().split('\n').filter((line): boolean => line !== '')
      .map((line): Record<string, unknown> => JSON.parse(line) as Record<string, unknown>),
  };
}

/** Runs a command of the operator on the records of a server, in this process, which takes a tenth of the time. */
export async function operateOn(
  { folder, stored }: TestServer,
  words: string[],
  input = '',
  env: NodeJS.ProcessEnv = {},
): Promise<CommandAnswer> {
  const place = { records: stored.place, keys: join(folder, 'keys'), pods: join(folder, 'pods') };
  return operate(place, words, input, env);
}

/** Runs a command of the operator on the records of a server, in a process of its own. */
export async function operateBeside(
  { folder, stored }: TestServer,
  words: string[],
  input = '',
  env = process.env,
): Promise<Pick<CommandAnswer, 'code' | 'errors' | 'output'>> {
  const child = spawn(process.execPath, [
    bin,
    ...words,
    '--records',
    stored.place,
    '--keys',
    join(folder, 'keys'),
    '--rootFilePath',
    join(folder, 'pods'),
  ], { env });
  child.stdin.end(input);
  const ended = once(child, 'exit');
  const [ output, errors ] = await Promise.all([ text(child.stdout), text(child.stderr) ]);
  const [ code ] = await ended as [ number ];
  return { code, output, errors };
}
