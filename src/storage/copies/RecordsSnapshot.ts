import { existsSync } from 'node:fs';
import { chmod, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import type BetterSqlite3 from 'better-sqlite3';
import { openSqliteFile } from '../database/openSqliteFile';
import { findDamage } from './findDamage';

/** Longest wait for a writer. */
const busyMs = 10_000;

/** Contents of a copy of records. */
export interface RecordsCopied {
  /** The end of the audit chain. */
  audit: { sequence: number; hash: string };
  /** Names of the key files needed to read the copy. */
  keys: string[];
}

/** A copy of records, and the files that belong to it. */
export interface RecordsOfMoment extends RecordsCopied {
  /** Ids of packages of plan requests whose files are needed: not validated yet, or part of an answer. */
  packages: Set<string>;
}

/** Packages whose files are needed, in SQL. */
const neededPackages = `select id from plan_packages
  where (state = 'Validating' or (state = 'Accepted' and request_id is not null))`;

/** A snapshot of the records in an SQLite file that others use. */
export class RecordsSnapshot {
  private constructor(
    private readonly writer: BetterSqlite3.Database,
    private readonly reader: BetterSqlite3.Database,
  ) {}

  /**
   * @param records - Path of the file.
   */
  public static async open(records: string): Promise<RecordsSnapshot> {
    if (!existsSync(records)) {
      throw new Error(`--records: there is no file ${resolve(records)}`);
    }
    return new RecordsSnapshot(
      await openSqliteFile(records, { timeout: busyMs, fileMustExist: true }),
      await openSqliteFile(records, { timeout: busyMs, readonly: true }),
    );
  }

  /** Blocks all writers and fixes the moment of the snapshot. */
  public hold(): void {
    this.writer.exec('begin immediate');
    this.endMoment();
    this.reader.exec('begin');
    this.reader.prepare('select 1 from migrations').get();
  }

  /** Lets others write again. The snapshot stays as it was. */
  public release(): void {
    if (this.writer.inTransaction) {
      this.writer.exec('rollback');
    }
  }

  /** Writes the snapshot to a new file, and checks the file. */
  public async copyTo(file: string): Promise<RecordsOfMoment> {
    await (await open(file, 'wx', 0o600)).close();
    // In one step: a backup in several starts again at each write by others.
    await this.reader.backup(file, { progress: (): number => Number.MAX_SAFE_INTEGER });
    this.endMoment();
    await chmod(file, 0o600);
    return check(file);
  }

  /** Checks whether the file of a package is needed now, which it may not be since the moment of the snapshot. */
  public needsPackage(id: string): boolean {
    return this.reader.prepare(`${neededPackages} and id = ?`).get(id) !== undefined;
  }

  public close(): void {
    this.release();
    this.endMoment();
    this.reader.close();
    this.writer.close();
  }

  private endMoment(): void {
    if (this.reader.inTransaction) {
      this.reader.exec('commit');
    }
  }
}

async function check(file: string): Promise<RecordsOfMoment> {
  const copy = await openSqliteFile(file);
  try {
    // A single file, without WAL files beside it.
    copy.pragma('journal_mode = DELETE');
    const [ problem ] = findDamage(copy);
    if (problem !== undefined) {
      throw new Error(`The copy of the records is damaged, and so are the records: ${problem}`);
    }
    const [ audit ] = copy.prepare<[], RecordsCopied['audit']>('select sequence, hash from audit_head').all();
    const keys = copy.prepare<[], string>('select file from key_fingerprints order by file').pluck().all();
    const packages = copy.prepare<[], string>(neededPackages).pluck().all();
    return { audit, keys, packages: new Set(packages) };
  } finally {
    copy.close();
  }
}
