import { resolve } from 'node:path';
import { isPostgresUrl } from '../../storage/database/engine';
import { backUp } from '../backup/backUp';
import type { Command } from './Command';
import { UsageError } from './Command';
import { findValue } from './options';

/** Copies records and pods while the server serves. */
export const backup: Command = {
  name: 'backup',
  summary: 'Copies records and pods into a folder, as they are at one moment, while the server serves.',
  details: `For SQLite and pods in files; with PostgreSQL, pg_dump does it. Writes wait for a moment at the end.
Key files are not in it: keep a copy of them apart, as safe as the secrets they are.
The audit record tells who made it, there and in the copy.
To restore: stop the server, put records.sqlite and pods in the places of the old ones, and start it.`,
  options: { into: { value: 'folder', describe: 'Where to: a folder that is empty or not there yet.' }},
  run: async(call): Promise<undefined> => {
    const { settings: { records, rootFilePath }, note, now, operator } = call;
    const into = findValue(call, 'into');
    if (into === undefined) {
      throw new UsageError('--into is needed: a folder that is empty or not there yet');
    }
    if (isPostgresUrl(records)) {
      throw new UsageError('Pods and records in PostgreSQL are backed up by pg_dump');
    }
    const { records: { audit: log }} = await call.open();
    const { audit, files, keys, made } = await backUp({
      records,
      rootFilePath,
      into: resolve(into),
      begin: async(): Promise<void> => log.append({ type: 'backup.begun', at: now(), personal: { operator }}),
      tell: note,
      now,
    });
    await call.print(`Backed up as of ${made}: the records, and ${files} files of pods and accounts.`);
    await call.print(`The audit record ends with row ${audit.sequence}, whose hash is ${audit.hash}.`);
    await call.print(`Key files that it needs, which are not in it: ${keys.join(', ')}.`);
  },
};
