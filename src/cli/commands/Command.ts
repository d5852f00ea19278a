import type { Readable } from 'node:stream';
import type { Clock, NewId } from '../../platform/clock';
import type { OpenRecords } from '../../storage/openRecords';

/** An option of a command, in addition to those of all commands. */
export interface CommandOption {
  /** Name of its value in the help text; absent for an option without value. */
  value?: string;
  /** One-letter form, if it has one. */
  short?: string;
  /** True for a switch of the server, given alone or with `true` or `false`. */
  isSwitch?: boolean;
  /** True for an option with several words, which become lines of its value. */
  isList?: boolean;
  /** Environment variable with its default. */
  environment?: string;
  /** True for an option that the help leaves out: taken so that a server's flags can be given as they are. */
  isUnused?: boolean;
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

/** A call of a command. */
export interface CommandCall {
  settings: CommandSettings;
  /** The given options; `true` for one without value. */
  options: Readonly<Record<string, string | true | undefined>>;
  /** Arguments besides options: as many as the command has operands, or one more if that is optional. */
  operands: readonly string[];
  /** Opens the records of the settings, which must exist. They are closed when the command ends. */
  open: () => Promise<OpenRecords>;
  /** Prints a line of the result, without control characters, and waits until it is written. */
  print: (line: string) => Promise<void>;
  /** Prints a message that is not part of the result. */
  note: (line: string) => void;
  /**
   * Source of secrets and national numbers, which must not be arguments because other users of the machine can see
   * those.
   */
  input: Readable & { isTTY?: boolean };
  /** Name of the operating system account, for the audit record. */
  operator: string;
  now: Clock;
  newId: NewId;
}

/** A command for operators. */
export interface Command {
  /** Name of one or two words. */
  name: string;
  summary: string;
  /** Notes to read before use, in lines. */
  details?: string;
  /** Names of its required arguments. */
  operands?: string[];
  /** Name of an additional optional argument. */
  optional?: string;
  options?: Readonly<Record<string, CommandOption>>;
  /** Runs the command; returns the exit code when it is not 0. */
  run: (call: CommandCall) => Promise<number | undefined>;
}

/** Exit codes of the command line. */
export const exitCodes = {
  done: 0,
  /** The command failed: the message says why. */
  failed: 1,
  /** The command was not understood. */
  usage: 2,
  /** The command succeeded, with a negative finding. */
  finding: 3,
} as const;

/** A command was called with unknown or missing arguments. */
export class UsageError extends Error {
  public constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}
