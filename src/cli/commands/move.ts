import { resolve } from 'node:path';
import { isPostgresUrl } from '../../storage/database/engine';
import type { Command, CommandCall } from './Command';
import { exitCodes, UsageError } from './Command';
import { findValue } from './options';

function getTarget(call: CommandCall): string {
  const given = findValue(call, 'to');
  if (given === undefined) {
    throw new UsageError('--to is needed: where the records are to be');
  }
  if (isPostgresUrl(given) === isPostgresUrl(call.settings.records)) {
    throw new UsageError('One of --records and --to must be a file, and the other a postgres:// URL');
  }
  return isPostgresUrl(given) ? given : resolve(given);
}

/** Moves everything between files and PostgreSQL. */
export const move: Command = {
  name: 'move',
  summary: 'Moves an installation from SQLite and files to PostgreSQL, or back, and compares both sides.',
  details: `Records, pods, accounts and all else that the server keeps go from --records to --to; pods are files in
--rootFilePath beside SQLite, and in the database on PostgreSQL. Key files and packages of plan
requests stay where they are, for both.
Stop every server first: neither side can be used meanwhile. The target must be empty. The source stays as
it is, but for a row in its audit record that tells who moved it. When it is interrupted, call it again: it
goes on, and servers refuse the target until it is done.`,
  options: {
    to: {
      value: 'file or URL',
      environment: 'CSS_MOVE_TO',
      describe: 'SQLite file, or a postgres:// URL (rather in CSS_MOVE_TO when there is a password in it).',
    },
  },
  run: async(call): Promise<number | undefined> => {
    const { settings: { records: from, keys, rootFilePath }, note: tell, operator, now, newId } = call;
    const to = getTarget(call);
    // It takes seconds to load the server.
    const { moveInstallation } = await import('../moving/moveInstallation.js');
    const moved = await moveInstallation({ from, to, keys, rootFilePath, tell, operator, now, newId });
    if (!moved) {
      await call.print('These records are at the target already.');
      return exitCodes.done;
    }
    const { audit, bytes, resources, rows, values } = moved;
    await call.print(`Moved, and the same on both sides: ${rows} rows, ${values} values of the server, ` +
      `${resources} resources of pods with ${bytes} bytes.`);
    if (audit.problem !== undefined) {
      await call.print(`The audit record is not whole, there as here: ${audit.problem}.`);
      return exitCodes.finding;
    }
    await call.print(`The audit record is whole: ${audit.rows} rows, the last hash is ${audit.hash}.`);
  },
};
