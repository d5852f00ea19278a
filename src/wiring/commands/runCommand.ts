import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import { isPostgresUrl } from '../../storage/database/engine';
import type { OpenRecords } from '../../storage/openRecords';
import { openRecords } from '../../storage/openRecords';
import { keepApart } from '../keepApart';
import { auditExport, auditVerify } from './audit';
import { backup } from './backup';
import { citizensErase, citizensExport, citizensList, citizensRelink } from './citizens';
import { columns } from './columns';
import type { Command, CommandCall, CommandOption, CommandSettings } from './Command';
import { exitCodes, UsageError } from './Command';
import { keysList, keysMake, keysRetire, keysRewrite, keysRotate } from './keys';
import { move } from './move';
import { resume, suspend, suspensionsList } from './suspensions';

/** Every command, in the order of the help text. */
export const commands: readonly Command[] = [
  auditVerify,
  auditExport,
  citizensList,
  citizensRelink,
  citizensExport,
  citizensErase,
  suspend,
  resume,
  suspensionsList,
  keysList,
  keysMake,
  keysRotate,
  keysRewrite,
  keysRetire,
  backup,
  move,
];

/** Where a command reads from and writes to. */
export interface CommandStreams {
  input: CommandCall['input'];
  output: Writable;
  errors: Writable;
}

interface Setting extends CommandOption {
  environment: string;
  default: string;
}

/** The settings of the server that commands take, as `config/data-sharing/variables.json` and the server have them. */
const settings: Record<keyof CommandSettings, Setting> = {
  records: {
    value: 'file or URL',
    environment: 'CSS_RECORDS',
    default: './css-data-sharing/records.sqlite',
    describe: 'SQLite file, or a postgres:// URL (rather in CSS_RECORDS when there is a password in it).',
  },
  keys: {
    value: 'folder',
    environment: 'CSS_KEYS',
    default: './css-data-sharing/keys',
    describe: 'Folder of key files.',
  },
  rootFilePath: {
    value: 'folder',
    environment: 'CSS_ROOT_FILE_PATH',
    default: './pods',
    describe: 'Root folder of the pods.',
  },
};

/** Whether arguments are a command of the operator; else they start the server. */
export function isCommand([ first ]: readonly string[]): boolean {
  return first !== undefined && !first.startsWith('-');
}

/**
 * Carries a command out.
 *
 * @param words - The arguments, without executable and script.
 * @param environment - Of the process.
 * @param streams - The answer goes to `output`, everything else to `errors`.
 *
 * @returns The exit code.
 */
export async function runCommand(
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
  streams: CommandStreams,
): Promise<number> {
  const command = findCommand(words);
  if (!command || words.includes('--help')) {
    return showHelp(command, words, streams);
  }
  const opened: OpenRecords[] = [];
  try {
    const call = makeCall(command, words, environment, streams, opened);
    return await command.run(call) ?? exitCodes.done;
  } catch (error: unknown) {
    // Whatever was typed by mistake where no number belongs.
    streams.errors.write(`${(error as Error).message.replaceAll(/\d[\d ./-]{9,}\d/gu, '[number]')}\n`);
    if (!(error instanceof UsageError)) {
      return exitCodes.failed;
    }
    streams.errors.write(`See css-data-sharing ${command.name} --help\n`);
    return exitCodes.usage;
  } finally {
    for (const { close } of opened) {
      await close();
    }
  }
}

/** The command that the first words name: two words before one. */
function findCommand(words: readonly string[]): Command | undefined {
  return [ words.slice(0, 2).join(' '), words[0] ]
    .map((name): Command | undefined => commands.find((command): boolean => command.name === name))
    .find(Boolean);
}

function makeCall(
  command: Command,
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
  { input, output, errors }: CommandStreams,
  opened: OpenRecords[],
): CommandCall {
  const { values, positionals } = parse(command, words);
  const operands = command.operands ?? [];
  if (positionals.length !== operands.length) {
    throw new UsageError(operands.length === 0 ?
      `${command.name} takes options only` :
      `${command.name} takes ${operands.map((name): string => `<${name}>`).join(' ')}`);
  }
  function note(line: string): void {
    errors.write(`${line}\n`);
  }
  const call: Omit<CommandCall, 'open'> = {
    settings: readSettings(values, environment),
    options: { ...fromEnvironment(command, environment), ...values },
    operands: positionals,
    print: async(line): Promise<void> => {
      if (!output.write(`${line}\n`)) {
        await once(output, 'drain');
      }
    },
    note,
    input,
    operator: userInfo().username,
    now: (): Date => new Date(),
    newId: randomUUID,
  };
  return {
    ...call,
    open: async(): Promise<OpenRecords> => {
      const records = await openExisting(call);
      opened.push(records);
      return records;
    },
  };
}

function parse(
  { name, options = {}}: Command,
  words: readonly string[],
): { values: Record<string, string | true | undefined>; positionals: string[] } {
  const known = Object.entries<CommandOption>({ ...settings, ...options });
  try {
    return parseArgs({
      args: words.slice(name.split(' ').length),
      options: Object.fromEntries(known.map(([ option, { value }]): [string, ParsedOption] => [ option, {
        type: value === undefined ? 'boolean' : 'string',
        ...option === 'rootFilePath' && { short: 'f' },
      }])),
      allowPositionals: true,
    }) as ReturnType<typeof parse>;
  } catch (error: unknown) {
    // What follows the first sentence is about files whose names begin with a dash.
    throw new UsageError((error as Error).message.split('. ')[0]);
  }
}

/** What the environment says of options that are not given. */
function fromEnvironment({ options = {}}: Command, environment: NodeJS.ProcessEnv): CommandCall['options'] {
  return Object.fromEntries(Object.entries(options)
    .map(([ option, { environment: variable }]): [string, string | undefined] =>
      [ option, variable === undefined ? undefined : environment[variable] ]));
}

interface ParsedOption {
  type: 'boolean' | 'string';
  short?: string;
}

function readSettings(values: Record<string, unknown>, environment: NodeJS.ProcessEnv): CommandSettings {
  function read(name: keyof CommandSettings): string {
    return values[name] as string | undefined ?? environment[settings[name].environment] ?? settings[name].default;
  }
  const records = read('records');
  return {
    records: isPostgresUrl(records) ? records : resolve(records),
    keys: resolve(read('keys')),
    rootFilePath: resolve(read('rootFilePath')),
  };
}

async function openExisting({ settings: { records, keys, rootFilePath }, now, newId, note }: Omit<CommandCall, 'open'>):
Promise<OpenRecords> {
  keepApart(rootFilePath, { ...isPostgresUrl(records) ? {} : { records }, keys });
  return openRecords({
    records,
    keys,
    existing: true,
    clock: now,
    newId,
    logger: { error: note, warn: note, info: (): void => undefined, debug: (): void => undefined },
  });
}

function showHelp(command: Command | undefined, words: readonly string[], { output, errors }: CommandStreams): number {
  if (command) {
    output.write(helpOf(command));
    return exitCodes.done;
  }
  if (words[0] !== 'help' && !words.includes('--help')) {
    errors.write('There is no such command. See css-data-sharing help\n');
    return exitCodes.usage;
  }
  output.write(overview());
  return exitCodes.done;
}

/** All commands, a line each. */
export function overview(): string {
  const lines = columns(commands.map(({ name, summary }): [string, string] => [ name, summary ]));
  return `css-data-sharing starts the server; css-data-sharing <command> works on its records while it serves:\n\n${
    lines.join('\n')
  }\n\nEach says more with --help.\n`;
}

/** What a command does, and its options. */
function helpOf({ name, summary, details, operands = [], options = {}}: Command): string {
  const all = Object.entries<CommandOption>({ ...options, ...settings })
    .map(([ option, { value, describe }]): [string, string] =>
      [ `--${option}${value === undefined ? '' : ` <${value}>`}`, describe ]);
  return [
    `css-data-sharing ${[ name, ...operands.map((operand): string => `<${operand}>`) ].join(' ')} [options]`,
    '',
    summary,
    ...details === undefined ? [] : [ details ],
    '',
    ...columns(all),
    '',
  ].join('\n');
}
