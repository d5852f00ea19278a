import { existsSync } from 'node:fs';
import { chmod, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import type BetterSqlite3 from 'better-sqlite3';
import { findDamage } from './findDamage';

/** How long to wait for whoever writes. */
const busyMs = 10_000;

/** Contents of a copy of records. */
export interface RecordsCopied {
  /** The end of the audit chain. */
  audit: { sequence: number; hash: string };
  /** Names of the key files without which it cannot be read. */
  keys: string[];
}

/** The same, and what else belongs to it. */
export interface RecordsOfMoment extends RecordsCopied {
  /** Ids of packages of plan requests whose bytes are needed, to be judged or as an answer. */
  packages: Set<string>;
}

/** The records in an SQLite file as they are at one moment, while others use it. */
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
    const sqlite3 = await import('better-sqlite3');
    /* eslint-disable new-cap -- the module's only export */
    return new RecordsSnapshot(
      new sqlite3.default(records, { timeout: busyMs, fileMustExist: true }),
      new sqlite3.default(records, { timeout: busyMs, readonly: true }),
    );
  }

  /** From here on nobody writes; who wants to waits. The moment is now. */
  public hold(): void {
    this.writer.exec('begin immediate');
    this.endMoment();
    this.reader.exec('begin');
    this.reader.prepare('select 1 from migrations').get();
  }

  /** Others write again. What this one reads stays as it was. */
  public release(): void {
    if (this.writer.inTransaction) {
      this.writer.exec('rollback');
    }
  }

  /** Writes the records of the moment into a new file, and checks it. */
  public async copyTo(file: string): Promise<RecordsOfMoment> {
    await (await open(file, 'wx', 0o600)).close();
    // In one step: in several it would begin again at each write of others.
    await this.reader.backup(file, { progress: (): number => Number.MAX_SAFE_INTEGER });
    this.endMoment();
    await chmod(file, 0o600);
    return check(file);
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
  const sqlite3 = await import('better-sqlite3');
  const copy = new sqlite3.default(file);
  try {
    // One file, without others beside it.
    copy.pragma('journal_mode = DELETE');
    const [ problem ] = findDamage(copy);
    if (problem !== undefined) {
      throw new Error(`The copy of the records is not whole, and so are the records themselves: ${problem}`);
    }
    const [ audit ] = copy.prepare<[], RecordsCopied['audit']>('select sequence, hash from audit_head').all();
    const keys = copy.prepare<[], string>('select file from key_fingerprints order by file').pluck().all();
    const packages = copy.prepare<[], string>(`select id from plan_packages
      where state = 'Validating' or (state = 'Accepted' and request_id is not null)`).pluck().all();
    return { audit, keys, packages: new Set(packages) };
  } finally {
    copy.close();
  }
}
