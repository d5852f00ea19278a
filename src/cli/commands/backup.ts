import { resolve } from 'node:path';
import { isPostgresUrl } from '../../storage/database/engine';
import { backUp } from '../backup/backUp';
import { verifyBackup } from '../backup/verifyBackup';
import type { Command } from './Command';
import { exitCodes, UsageError } from './Command';
import { findValue } from './options';

const defaultPackages = './css-data-sharing/plan-packages';

function nothing(): void {
  // Every fault is reported as a finding.
}

const silent = { error: nothing, warn: nothing, info: nothing, debug: nothing };

/** Backs up records and pods while the server runs. */
export const backup: Command = {
  name: 'backup',
  summary: 'Copies records, pods and packages, as of one moment, into a folder. The server may be running.',
  details: `For SQLite and pods in files; with PostgreSQL, use pg_dump. Writes wait for a moment at the end.
It is refused unless the pods match the records: same base URL, every citizen's pod, accounts that can be decrypted.
It does not contain key files: keep a copy of these secrets apart.
The audit record names the operator, also in the copy. backup.json, written last, has the SHA-256 of each file.
To restore: run backup verify; stop the server; move records.sqlite*, pods and, if present, plan-packages elsewhere;
copy those of the backup into their places; start it.`,
  options: {
    into: { value: 'folder', describe: 'The target: an empty or new folder.' },
    planPackages: {
      value: 'folder',
      environment: 'CSS_PLAN_PACKAGES',
      describe: `Packages of plan requests, as the server has them. Default: ${defaultPackages}`,
    },
  },
  run: async(call): Promise<undefined> => {
    const { settings: { records, rootFilePath }, note, now, operator } = call;
    const into = findValue(call, 'into');
    if (into === undefined || into === '') {
      throw new UsageError('--into is required: an empty or new folder');
    }
    if (isPostgresUrl(records)) {
      throw new UsageError('For pods and records in PostgreSQL, use pg_dump');
    }
    const { records: { audit: log, citizens }, serverSecrets } = await call.open();
    const { audit, digest, files, keys, made } = await backUp({
      records,
      rootFilePath,
      planPackages: resolve(findValue(call, 'planPackages') ?? defaultPackages),
      known: { citizens, serverSecrets },
      into: resolve(into),
      begin: async(): Promise<void> => log.append({ type: 'backup.begun', at: now(), personal: { operator }}),
      report: note,
      now,
    });
    await call.print(`Backed up as of ${made}: the records, and ${files} files of pods and accounts.`);
    await call.print(`The audit record ends with row ${audit.sequence}, whose hash is ${audit.hash}.`);
    await call.print(`The digest of the whole is ${digest}: keep it in another place.`);
    await call.print(`Key files that it needs but does not contain: ${keys.join(', ')}.`);
  },
};

/** Verifies that a backup is intact. */
export const backupVerify: Command = {
  name: 'backup verify',
  summary: 'Checks a backup: damaged, missing and extra files, records, audit record and pods.',
  details: `Compares every file with its SHA-256 in backup.json, has SQLite check the records, verifies their audit
record with the keys, and compares the pods with the records. Changes nothing, and needs no server.
Prints a line for each problem, and exits with ${exitCodes.finding} if there is one. Compare the digest of
the whole with the one that backup printed: somebody who can change files can also replace backup.json.
A PostgreSQL dump has no such digests: see docs/usage, Backup and restore.`,
  operands: [ 'folder' ],
  run: async({ settings: { keys }, operands: [ folder ], note, now, newId, print }): Promise<number | undefined> => {
    const check = await verifyBackup(resolve(folder), { keys, clock: now, newId, logger: silent }, note);
    for (const finding of check.findings) {
      await print(finding);
    }
    const { audit } = check;
    if (!audit || check.findings.length > 0) {
      await print(`The backup of ${check.note.made} is not whole.`);
      return exitCodes.finding;
    }
    await print(`The backup of ${check.note.made} is whole: the records, and ${check.note.files} files.`);
    await print(`The audit record ends with row ${audit.sequence}, whose hash is ${audit.hash}.`);
    await print(`The digest of the whole is ${check.digest}.`);
  },
};
