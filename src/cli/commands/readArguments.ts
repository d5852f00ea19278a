import { parseArgs } from 'node:util';
import { didYouMean } from '../../platform/nearest';
import { messageOf } from '../../platform/errors';
import type { Command, CommandCall, CommandOption } from './Command';
import { UsageError } from './Command';
import { readCommandSettings, settings } from './commandSettings';

interface ParsedOption {
  type: 'boolean' | 'string';
  short?: string;
}

/**
 * Parses the arguments of a command.
 *
 * @param words - The arguments, including the name of the command.
 *
 * @throws UsageError when the command does not take these arguments.
 */
export function readArguments(
  command: Command,
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
): Pick<CommandCall, 'operands' | 'options' | 'settings'> {
  const { values, positionals } = parse(command, words);
  const { name, operands = [], optional } = command;
  const most = operands.length + (optional === undefined ? 0 : 1);
  if (positionals.length < operands.length || positionals.length > most) {
    throw new UsageError(`${name} takes ${operandsOf(command).join(' ') || 'options only'}`);
  }
  return {
    settings: readCommandSettings(values, environment),
    options: { ...fromEnvironment(command, environment), ...values },
    operands: positionals,
  };
}

/** Returns the operands of a command, as its help shows them. */
export function operandsOf({ operands = [], optional }: Command): string[] {
  return [ ...operands.map((name): string => `<${name}>`), ...optional === undefined ? [] : [ `[${optional}]` ] ];
}

function parse(
  { name, options = {}}: Command,
  words: readonly string[],
): { values: Record<string, string | true | undefined>; positionals: string[] } {
  const known = Object.entries<CommandOption>({ ...settings, ...options });
  try {
    return parseArgs({
      args: withValues(withLists(words.slice(name.split(' ').length), options), options),
      options: Object.fromEntries(known.map(([ option, { short, value }]): [string, ParsedOption] => [ option, {
        type: value === undefined ? 'boolean' : 'string',
        ...option === 'rootFilePath' && { short: 'f' },
        ...short !== undefined && { short },
      }])),
      allowPositionals: true,
      // No option is repeatable, so no value is an array.
    }) as ReturnType<typeof parse>;
  } catch (error: unknown) {
    // The rest of the message explains file names that begin with a dash.
    const [ sentence ] = messageOf(error).split('. ');
    const [ , unknown ] = /^Unknown option '--(.*)'/u.exec(sentence) ?? [];
    const names = known.map(([ option ]): string => option);
    throw new UsageError(`${sentence}${unknown === undefined ? '' : didYouMean(unknown, names, '--')}`);
  }
}

/** Joins the words after a list's flag, up to the next flag, into its value. */
function withLists(words: readonly string[], options: NonNullable<Command['options']>): string[] {
  const flags = new Set(Object.entries(options).filter(([ , { isList }]): boolean => isList === true)
    .flatMap(([ name, { short }]): string[] => [ `--${name}`, `-${short}` ]));
  const joined: string[] = [];
  let flag = '';
  for (const word of words) {
    if (word.startsWith('-')) {
      flag = word;
      joined.push(word);
    } else if (flags.has(flag) && joined.at(-1) !== flag) {
      joined.push(`${joined.pop()}\n${word}`);
    } else {
      joined.push(word);
    }
  }
  return joined;
}

/** Sets switches without a value to true. */
function withValues(words: readonly string[], options: NonNullable<Command['options']>): string[] {
  return words.map((word, index): string =>
    word.startsWith('--') && options[word.slice(2)]?.isSwitch === true && !/^(?:true|false)$/u.test(words[index + 1]) ?
      `${word}=true` :
      word);
}

/** Returns the defaults of options that the environment sets. */
function fromEnvironment({ options = {}}: Command, environment: NodeJS.ProcessEnv): CommandCall['options'] {
  return Object.fromEntries(Object.entries(options)
    .map(([ option, { environment: variable }]): [string, string | undefined] =>
      [ option, variable === undefined ? undefined : environment[variable] ]));
}
