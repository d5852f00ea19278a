import { resolve } from 'node:path';
import { isPostgresUrl } from '../../storage/database/engine';
import type { Command, CommandCall } from './Command';
import { exitCodes, UsageError } from './Command';
import { findValue } from './options';

function getTarget(call: CommandCall): string {
  const given = findValue(call, 'to');
  if (given === undefined) {
    throw new UsageError('--to is required: the place to move the records to');
  }
  if (isPostgresUrl(given) === isPostgresUrl(call.settings.records)) {
    throw new UsageError('One of --records and --to must be a file, and the other a postgres:// URL');
  }
  return isPostgresUrl(given) ? given : resolve(given);
}

/** Moves everything from files to PostgreSQL, or back. */
export const move: Command = {
  name: 'move',
  summary: 'Moves an installation from SQLite and files to PostgreSQL, or back, and compares both sides.',
  details: `Moves records, pods, accounts and the server's other data from --records to --to. With SQLite, pods are
files in --rootFilePath; with PostgreSQL, they are in the database. Key files and packages of plan
requests stay where they are.
Stop every server first: neither side can be used meanwhile. The target must be empty. The source only
gets a row in its audit record that names the operator. After an interruption, run the command again: it
continues. Servers refuse the target until it is done.`,
  options: {
    to: {
      value: 'file or URL',
      environment: 'CSS_MOVE_TO',
      describe: 'SQLite file, or a postgres:// URL (with a password: set CSS_MOVE_TO instead).',
    },
  },
  run: async(call): Promise<number | undefined> => {
    const { settings: { records: from, keys, rootFilePath }, note: report, operator, now, newId } = call;
    const to = getTarget(call);
    // It takes seconds to load the server.
    const { moveInstallation } = await import('../moving/moveInstallation.js');
    const moved = await moveInstallation({ from, to, keys, rootFilePath, report, operator, now, newId });
    if (!moved) {
      await call.print('These records are at the target already.');
      return exitCodes.done;
    }
    const { audit, bytes, resources, rows, values } = moved;
    await call.print(`Moved, and the same on both sides: ${rows} rows, ${values} values of the server, ` +
      `${resources} resources of pods with ${bytes} bytes.`);
    if (audit.problem !== undefined) {
      await call.print(`The audit record is not intact on either side: ${audit.problem}.`);
      return exitCodes.finding;
    }
    await call.print(`The audit record is intact: ${audit.rows} rows, the last hash is ${audit.hash}.`);
  },
};
