import { columns } from './columns';
import type { Command, CommandOption } from './Command';
import { commands } from './commands';
import { settings } from './commandSettings';
import { operandsOf } from './readArguments';

/** Lists all commands, one per line. */
export function overview(): string {
  const lines = columns(commands.map(({ name, summary }): [string, string] => [ name, summary ]));
  return `css-data-sharing starts the server; css-data-sharing <command> works on its records, also while it runs:\n\n${
    lines.join('\n')
  }\n\nFor details, add --help to a command.\n`;
}

/** Describes one command and its options. */
export function helpOf(command: Command): string {
  const { name, summary, details, options = {}} = command;
  const all = Object.entries<CommandOption>({ ...options, ...settings })
    .filter(([ , { isUnused }]): boolean => isUnused !== true)
    .map(([ option, { value, describe }]): [string, string] =>
      [ `--${option}${value === undefined ? '' : ` <${value}>`}`, describe ]);
  return [
    `css-data-sharing ${[ name, ...operandsOf(command) ].join(' ')} [options]`,
    '',
    summary,
    ...details === undefined ? [] : [ details ],
    '',
    ...columns(all),
    '',
  ].join('\n');
}
