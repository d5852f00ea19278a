import type { Readable } from 'node:stream';
import type { Clock, NewId } from '../../platform/clock';
import type { OpenRecords } from '../../storage/openRecords';

/** An option of a command, beside the ones that all commands have. */
export interface CommandOption {
  /** Name of its value in the help text; absent when it has none. */
  value?: string;
  /** Its letter, if it has one. */
  short?: string;
  /** True for a flag of the server that can be given alone, or with `true` or `false`. */
  isSwitch?: boolean;
  /** True for one that takes several words: its value has a line for each. */
  isList?: boolean;
  /** Environment variable that it is read from when it is not given. */
  environment?: string;
  describe: string;
}

/** The settings that a command shares with the server. */
export interface CommandSettings {
  /** SQLite file, or a `postgres://` URL. */
  records: string;
  /** Folder of key files. */
  keys: string;
  /** Root folder of the pods. */
  rootFilePath: string;
}

/** One call of a command. */
export interface CommandCall {
  settings: CommandSettings;
  /** The options that were given; `true` for one without value. */
  options: Readonly<Record<string, string | true | undefined>>;
  /** Arguments that are no options: as many as the command has operands, or one more if that is optional. */
  operands: readonly string[];
  /** The records of the settings, which must exist. They are closed when the command ends. */
  open: () => Promise<OpenRecords>;
  /** Writes a line of the answer, and waits for who reads it. */
  print: (line: string) => Promise<void>;
  /** Prints a message that is no part of the result. */
  note: (line: string) => void;
  /** Source of secrets and numbers: never arguments, which others on the machine can see. */
  input: Readable & { isTTY?: boolean };
  /** Name of the account that the command runs under, for the audit record. */
  operator: string;
  now: Clock;
  newId: NewId;
}

/** A command of the operator. */
export interface Command {
  /** One or two words. */
  name: string;
  summary: string;
  /** Notes to read before using it, in lines. */
  details?: string;
  /** Names of its arguments besides options, all required. */
  operands?: string[];
  /** Name of one more that it takes, and has a default for. */
  optional?: string;
  options?: Readonly<Record<string, CommandOption>>;
  /** Carries it out, and answers the exit code when it is not 0. */
  run: (call: CommandCall) => Promise<number | undefined>;
}

/** Exit codes of the command line. */
export const exitCodes = {
  done: 0,
  /** It could not be done: the message says why. */
  failed: 1,
  /** The command was not understood. */
  usage: 2,
  /** Done, with a bad result. */
  finding: 3,
} as const;

/** A command was called in a way that it does not know. */
export class UsageError extends Error {
  public constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}
