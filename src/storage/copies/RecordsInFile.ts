import type { AuditCheck } from '../../audit/AuditLog';
import type { CitizenStore } from '../../identity/CitizenStore';
import { AuditChain } from '../audit/AuditChain';
import type { OpenDatabase } from '../database/engine';
import { openForReading } from '../database/engine';
import { openSqliteFile } from '../database/openSqliteFile';
import { KeyRing } from '../keys/KeyRing';
import { readKeyRows, RecordedKeys } from '../keys/RecordedKeys';
import { ServerSecrets } from '../keys/ServerSecrets';
import { Vault } from '../keys/Vault';
import { requireMigrated } from '../migrate';
import type { Opening } from '../openRecords';
import { SqlCitizenStore } from '../stores/SqlCitizenStore';
import { messageOf } from '../../platform/errors';
import { findDamage } from './findDamage';

/** Records in an unused file, such as a backup, opened for reading only. */
export class RecordsInFile {
  private constructor(
    private readonly database: OpenDatabase,
    private readonly chain: AuditChain,
    public readonly citizens: CitizenStore,
    public readonly serverSecrets: ServerSecrets,
  ) {}

  /** Runs SQLite's checks on a file; returns a line for each fault. */
  public static async findDamage(file: string): Promise<string[]> {
    const handle = await openSqliteFile(file, { readonly: true, fileMustExist: true });
    try {
      return findDamage(handle);
    } finally {
      handle.close();
    }
  }

  /**
   * @param file - Complete SQLite file, not in WAL mode.
   * @param opening - With the folder of the keys that belong to the file.
   *
   * @throws Error when another version of this package wrote the file, or keys are missing.
   */
  public static async open(file: string, opening: Opening): Promise<RecordsInFile> {
    const database = await openForReading(file);
    try {
      const { db, engine } = database;
      await requireOurs(database);
      const { keys: folder, clock, newId, logger } = opening;
      const recorded = await RecordedKeys.open(folder, await readKeyRows(db, engine));
      const vault = new Vault(new KeyRing({ database, folder, clock, logger }, recorded));
      return new RecordsInFile(
        database,
        new AuditChain(vault, newId, engine),
        new SqlCitizenStore(db, vault, engine),
        new ServerSecrets({ database, vault, clock, newId }),
      );
    } catch (error: unknown) {
      await database.db.destroy();
      throw error;
    }
  }

  /** Checks the audit record, up to `most` findings. */
  public async checkAudit(most: number): Promise<AuditCheck> {
    return this.chain.check(this.database.db, most);
  }

  public async close(): Promise<void> {
    await this.database.db.destroy();
  }
}

/** Refuses records without keys: opening those would make some. */
async function requireOurs(database: OpenDatabase): Promise<void> {
  await requireMigrated(database).catch((error: unknown): never => {
    throw new Error(`Use the version of this package that wrote the records. ${messageOf(error)}`);
  });
  if (!await database.db.selectFrom('keyFingerprints').select('file').executeTakeFirst()) {
    throw new Error('The records name no keys');
  }
}
