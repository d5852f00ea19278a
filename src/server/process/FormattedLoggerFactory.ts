import cluster from 'node:cluster';
import { BaseLogger, WinstonLoggerFactory } from '@solid/community-server';
import type { Logger, LoggerFactory, LogLevel } from '@solid/community-server';
import { RefusedSetting } from '../../platform/RefusedSetting';
import type { LogFields } from '../../platform/logger';
import { escapeUnprintable, withinEntry } from '../../platform/unprintable';
import { currentCorrelationId, keepCorrelation } from '../connections/correlation';
import { isOwnLogger } from './CssLogger';
import type { FieldedMetadata } from './CssLogger';

/** Options of {@link FormattedLoggerFactory}. */
export interface FormattedLoggerFactoryArgs {
  /** Lowest level of logged messages. */
  level: string;
  /** `text` for people, in the server's format; `json` for machines: an object in each line. */
  logFormat: string;
  /** Removes confidential texts; with `withIds`, also everything that can be an id. */
  redact: (text: string, withIds?: boolean) => string;
  /** Describes an error: the server also logs error objects. */
  describeError: (error: unknown) => string;
}

/** How messages become texts that can be logged. */
type Cleaning = Pick<FormattedLoggerFactoryArgs, 'describeError' | 'redact'>;

const levels = [ 'error', 'warn', 'info', 'verbose', 'debug', 'silly' ];

/**
 * Messages that the server logs as errors or warnings although a client caused them, by closing its connection early or
 * accepting only other media types. Each error of its own has a message besides.
 */
const causedByClient = new RegExp([
  '^(?:Request error|Response error|No error listener was attached but error was thrown): (?:aborted|premature close)$',
  '^Aborting streaming response because of server error; headers already sent\\.$',
  '^No conversion path could be made ',
].join('|'), 'iu');

/** Maximum characters of a message. */
const maxLength = 16 * 1024;

/** Name of the logger of the server's own command. */
const runner = 'AppRunner';

/** Writes a message of a level that is logged. */
type Write = (level: LogLevel, message: string, meta?: FieldedMetadata) => void;

/**
 * The log of the server and of this package, in the configured format, without confidential texts. Ids are redacted in
 * all messages except this package's own.
 */
export class FormattedLoggerFactory implements LoggerFactory {
  private readonly least: number;
  private readonly cleaning: Cleaning;
  private readonly writer: (label: string) => Write;

  public constructor(args: FormattedLoggerFactoryArgs) {
    const { level, logFormat } = args;
    this.cleaning = args;
    this.least = levels.indexOf(level);
    if (logFormat === 'json') {
      keepCorrelation();
      this.writer = jsonWriter;
    } else if (logFormat === 'text') {
      this.writer = textWriter(new WinstonLoggerFactory(level));
    } else {
      throw new RefusedSetting('--logFormat must be text or json');
    }
  }

  public createLogger(label: string): Logger {
    const write = this.writer(label);
    return new FormattedLogger(
      this.least,
      label === runner ? onceOnly(write) : write,
      this.cleaning,
      !isOwnLogger(label),
    );
  }
}

class FormattedLogger extends BaseLogger {
  public constructor(
    private readonly least: number,
    private readonly write: Write,
    private readonly cleaning: Cleaning,
    private readonly withoutIds: boolean,
  ) {
    super();
  }

  public log(given: LogLevel, message: string, meta?: FieldedMetadata): Logger {
    if (!this.isLogged(given)) {
      return this;
    }
    const level = causedByClient.test(message) ? 'debug' : given;
    if (this.isLogged(level)) {
      const { describeError, redact } = this.cleaning;
      const said: unknown = message;
      const text = typeof said === 'string' ? said : describeError(said);
      const clean = cut(redact(cut(text, 2 * maxLength), this.withoutIds), maxLength);
      // The message already contains its fields.
      this.write(level, clean, clean === text || !meta?.fields ?
        meta :
          { ...meta, fields: cleanFields(meta.fields, redact) });
    }
    return this;
  }

  private isLogged(level: LogLevel): boolean {
    return levels.indexOf(level) <= this.least;
  }
}

/**
 * Cuts a message that is too long between two words, because an incomplete one could be part of a text that would have
 * been redacted.
 */
function cut(message: string, length: number): string {
  if (message.length <= length) {
    return message;
  }
  const end = Math.max(message.lastIndexOf(' ', length), message.lastIndexOf('\n', length), 0);
  return `${message.slice(0, end)} … (cut)`;
}

/** Leaves the message of a failed start out of the log, because it is also written to standard error. */
function onceOnly(write: Write): Write {
  return (level, message, meta): void => {
    if (!message.startsWith('Could not start the server')) {
      write(level, message, meta);
    }
  };
}

function cleanFields(fields: LogFields, redact: Cleaning['redact']): LogFields {
  return Object.fromEntries(Object.entries(fields).map(([ name, value ]): [string, string | number | undefined] =>
    [ name, typeof value === 'string' ? redact(value) : value ]));
}

function textWriter(winston: LoggerFactory): (label: string) => Write {
  return (label): Write => {
    const logger = winston.createLogger(label);
    return (level, message, meta): unknown => logger.log(level, withinEntry(message), meta);
  };
}

/** JSON escapes keep any message within its line and its member. */
function jsonWriter(label: string): Write {
  return (level, message, meta): void => {
    const line = {
      time: new Date().toISOString(),
      level,
      logger: label,
      process: cluster.isPrimary ? 'primary' : `worker ${process.pid}`,
      correlationId: currentCorrelationId(),
      ...meta?.fields,
      message,
    };
    process.stdout.write(`${escapeUnprintable(JSON.stringify(line))}\n`);
  };
}
