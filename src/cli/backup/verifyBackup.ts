import { join } from 'node:path';
import type { AuditCheck } from '../../audit/AuditLog';
import type { Opening } from '../../storage/openRecords';
import { RecordsInFile } from '../../storage/copies/RecordsInFile';
import { messageOf } from '../../platform/errors';
import type { BackupNote } from './BackupFolder';
import { noteFile, podsFolder, readNote, recordsFile } from './BackupFolder';
import { checkPods } from './checkPods';
import { digestFiles, listBackup } from './digests';

/** Result of verifying a backup. */
export interface BackupCheck {
  note: BackupNote;
  /** Digest of the whole backup, from its note. */
  digest: string;
  /** Faults, one per line; empty when the backup is intact. */
  findings: string[];
  /** End of its audit record; absent when the records were not opened because of other faults. */
  audit?: AuditCheck['end'];
}

/**
 * Reads a whole backup and compares it with its note, then opens its records, verifies their audit record, and compares
 * the pods with them. Changes nothing.
 *
 * @param folder - Folder of the backup.
 * @param opening - Options for opening the records, with the folder of their keys.
 * @param report - Receives reports of progress.
 *
 * @throws Error when there is no complete backup, or its keys are missing.
 */
export async function verifyBackup(
  folder: string,
  opening: Opening,
  report: (line: string) => void,
): Promise<BackupCheck> {
  const { note, digest, isWhole } = await readNote(folder);
  const findings = [
    ...isWhole ? [] : [ `damaged: ${noteFile}` ],
    ...await compareFiles(folder, note, report),
  ];
  // SQLite cannot tell anything about a file that differs from the copied one.
  if (!isWhole || findings.some((finding): boolean => finding.includes(`: ${recordsFile}`))) {
    return { note, digest, findings };
  }
  report('Checking the records');
  const records = await checkRecords(folder, note, opening, findings.length === 0);
  return { note, digest, audit: records.audit, findings: [ ...findings, ...records.findings ]};
}

async function compareFiles(root: string, note: BackupNote, report: (line: string) => void): Promise<string[]> {
  const files = new Map(Object.entries(note.sha256));
  const folders = new Set(note.folders);
  const findings: string[] = [];
  const found: string[] = [];
  for await (const { path, kind } of listBackup(root)) {
    const isExpected = kind === 'file' ? files.has(path) : kind === 'folder' && folders.delete(path);
    if (!isExpected) {
      findings.push(`extra: ${path}`);
    } else if (kind === 'file') {
      found.push(path);
    }
  }
  report(`Reading ${found.length} files`);
  const digests = await digestFiles(root, found, report, (path, error): void => {
    findings.push(`damaged: ${path} (${messageOf(error)})`);
    files.delete(path);
  });
  for (const [ path, expected ] of files) {
    const digest = digests.get(path);
    if (digest !== expected) {
      findings.push(`${digest === undefined ? 'missing' : 'damaged'}: ${path}`);
    }
  }
  return [ ...findings, ...[ ...folders ].map((path): string => `missing: ${path}/`) ].sort();
}

async function checkRecords(
  folder: string,
  { audit }: BackupNote,
  opening: Opening,
  isRestWhole: boolean,
): Promise<Pick<BackupCheck, 'audit' | 'findings'>> {
  const file = join(folder, recordsFile);
  const damage = await RecordsInFile.findDamage(file);
  if (damage.length > 0) {
    return { findings: damage.map((one): string => `damaged: ${recordsFile}: ${one}`) };
  }
  const records = await RecordsInFile.open(file, opening);
  try {
    const { end, findings: [ finding ] } = await records.checkAudit(1);
    const findings = finding ? [ `The audit record is not intact. Row ${finding.sequence}: ${finding.problem}.` ] : [];
    if (end.hash !== audit.hash) {
      findings.push(`The end of the audit record does not match ${noteFile}.`);
    }
    if (isRestWhole) {
      await checkPods(join(folder, podsFolder), records).catch((error: unknown): void => {
        findings.push(`The pods do not match the records: ${messageOf(error)}.`);
      });
    }
    return { findings, audit: end };
  } finally {
    await records.close();
  }
}
