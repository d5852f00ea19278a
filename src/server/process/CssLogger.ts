import cluster from 'node:cluster';
import { getLoggerFor } from '@solid/community-server';
import type { LogMetadata } from '@solid/community-server';
import type { LogFields, Logger } from '../../platform/logger';

/** From the most important on, as the server has them. */
const levels: readonly string[] = [ 'error', 'warn', 'info', 'verbose', 'debug', 'silly' ];

/** Metadata and fields of a message, as the server's loggers take them. */
export interface FieldedMetadata extends LogMetadata {
  fields?: LogFields;
}

const ownNames = new Set<string>();

/** Returns true for the name of a part of this package: its messages hold no ids but those that one may read. */
export function isOwnLogger(name: string): boolean {
  return ownNames.has(name);
}

/**
 * The server's own log, under the name of a part of this package.
 *
 * @param name - Of the part.
 * @param level - Messages less important than this are dropped at once: the server's logger formats them first.
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
