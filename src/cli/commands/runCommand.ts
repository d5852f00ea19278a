import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { userInfo } from 'node:os';
import type { Writable } from 'node:stream';
import { redactDigits } from '../../identity/redact';
import { isPostgresUrl } from '../../storage/database/engine';
import type { OpenRecords } from '../../storage/openRecords';
import { openRecords } from '../../storage/openRecords';
import { systemClock } from '../../platform/clock';
import { didYouMean } from '../../platform/nearest';
import { keepApart } from '../../platform/keepApart';
import { escapeUnprintable, withinEntry } from '../../platform/unprintable';
import { messageOf } from '../../platform/errors';
import type { Command, CommandCall } from './Command';
import { exitCodes, UsageError } from './Command';
import { commands, findCommand } from './commands';
import { helpOf, overview } from './help';
import { readArguments } from './readArguments';

/** Input and output of a command. */
export interface CommandStreams {
  input: CommandCall['input'];
  output: Writable;
  errors: Writable;
}

/** Checks whether arguments are an operator's command; otherwise they start the server. */
export function isCommand([ first ]: readonly string[]): boolean {
  return first !== undefined && !first.startsWith('-');
}

/**
 * Runs a command.
 *
 * @param words - The arguments, without executable and script.
 * @param environment - Environment of the process.
 * @param streams - The result goes to `output`, everything else to `errors`.
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
    // Somebody may have typed a national number where none belongs.
    streams.errors.write(`${escapeUnprintable(redactDigits(messageOf(error)))}\n`);
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

function makeCall(
  command: Command,
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
  { input, output, errors }: CommandStreams,
  opened: OpenRecords[],
): CommandCall {
  function note(line: string): void {
    errors.write(`${withinEntry(line)}\n`);
  }
  const call: Omit<CommandCall, 'open'> = {
    ...readArguments(command, words, environment),
    print: async(line): Promise<void> => {
      if (!output.write(`${withinEntry(line)}\n`)) {
        await once(output, 'drain');
      }
    },
    note,
    input,
    operator: userInfo().username,
    now: systemClock,
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

/** Describes an unknown command, with the commands that begin with the given word, or the most similar one. */
function noSuchCommand(words: readonly string[]): string {
  const names = commands.map(({ name }): string => name);
  const begun = names.filter((name): boolean => name.startsWith(`${words[0]} `));
  if (begun.length > 0) {
    return `There are ${begun.join(', ')}. See css-data-sharing help\n`;
  }
  const given = words.filter((word): boolean => !word.startsWith('-')).slice(0, 2).join(' ');
  return `Unknown command${didYouMean(given, names) || '.'} See css-data-sharing help\n`;
}

function showHelp(command: Command | undefined, words: readonly string[], { output, errors }: CommandStreams): number {
  if (command) {
    output.write(helpOf(command));
    return exitCodes.done;
  }
  if (words[0] !== 'help' && !words.includes('--help')) {
    errors.write(noSuchCommand(words));
    return exitCodes.usage;
  }
  output.write(overview());
  return exitCodes.done;
}
