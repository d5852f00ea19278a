import { isDay } from '../../platform/clock';
import { serverFlags, variableOf } from '../serverSettings';
import { UsageError } from './Command';
import type { CommandCall, CommandOption } from './Command';
import { settings as sharedSettings } from './commandSettings';

/** Returns the value of an option, if it has one. */
export function findValue({ options }: CommandCall, name: string): string | undefined {
  const value = options[name];
  return value === true ? undefined : value;
}

/**
 * Reads an option that is a moment: an ISO 8601 date, which means the beginning of that day in UTC, or a date with time
 * and offset.
 */
export function findMoment(call: CommandCall, name: string): Date | undefined {
  const text = findValue(call, name);
  if (text === undefined) {
    return;
  }
  const date = new Date(text);
  if (!/^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/u.test(text) ||
    Number.isNaN(date.getTime()) || !isDay(text.slice(0, 'YYYY-MM-DD'.length))) {
    throw new UsageError(`--${name} must be a date, or a date and time with its offset, in ISO 8601`);
  }
  return date;
}

/**
 * Returns flags of the server as options of a command, except those that every command has.
 *
 * @param names - Names of the flags; all when absent.
 */
export function serverOptions(names?: readonly string[]): Record<string, CommandOption> {
  const flags = serverFlags().filter(({ name }): boolean =>
    !(name in sharedSettings) && (names === undefined || names.includes(name)));
  return Object.fromEntries(flags.map(({ name, options }): [string, CommandOption] => {
    const { alias: short, describe, type: value = 'string' } = options;
    const kind = { isSwitch: value === 'boolean', isList: value === 'array' };
    return [ name, { environment: variableOf(name), value, short, ...kind, describe }];
  }));
}
