import cluster from 'node:cluster';
import { getLoggerFor } from '@solid/community-server';
import type { LogMetadata } from '@solid/community-server';
import type { LogFields, Logger } from '../../platform/logger';

/** Levels of the server, the most important first. */
const levels: readonly string[] = [ 'error', 'warn', 'info', 'verbose', 'debug', 'silly' ];

/** Metadata and fields of a message, in the form of the server's loggers. */
export interface FieldedMetadata extends LogMetadata {
  fields?: LogFields;
}

const ownNames = new Set<string>();

/** Checks for the name of a part of this package, whose messages contain no confidential ids. */
export function isOwnLogger(name: string): boolean {
  return ownNames.has(name);
}

/**
 * Returns the server's own log, under the name of a part of this package.
 *
 * @param name - Name of the part.
 * @param level - Less important messages are dropped early, because the server's logger would format them first.
 */
export function cssLogger(name: string, level = 'silly'): Logger {
  ownNames.add(name);
  const logger = getLoggerFor(name);
  function log(at: 'error' | 'warn' | 'info' | 'debug'): Logger['info'] {
    return levels.indexOf(at) > levels.indexOf(level) ?
        (): void => undefined :
        (message, fields): void => {
          const meta: FieldedMetadata = { pid: process.pid, isPrimary: cluster.isPrimary, fields };
          logger.log(at, message, meta);
        };
  }
  return { error: log('error'), warn: log('warn'), info: log('info'), debug: log('debug') };
}
