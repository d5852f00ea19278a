import type { Logger, LoggerFactory } from '@solid/community-server';
import { describeForLog } from '../../http/problemDocument';
import { redact } from '../../identity/redact';
import { FormattedLoggerFactory } from '../../server/process/FormattedLoggerFactory';

/** Options of {@link SelectedLoggerFactory}. */
export interface SelectedLoggerFactoryArgs {
  /** Lowest level of logged messages. */
  level: string;
  /** `text` for people, in the server's format; `json` for machines: an object in each line. */
  logFormat: string;
}

/**
 * The log of the server and of this package. Texts like a token, a national number or an e-mail address are redacted,
 * because callers may put them where the server logs them, such as in paths; so are ids of log-ins, codes and links,
 * which the server logs.
 */
export class SelectedLoggerFactory implements LoggerFactory {
  private readonly source: LoggerFactory;

  public constructor(args: SelectedLoggerFactoryArgs) {
    this.source = new FormattedLoggerFactory({ ...args, redact, describeError: describeForLog });
  }

  public createLogger(label: string): Logger {
    return this.source.createLogger(label);
  }
}
