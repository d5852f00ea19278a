import { join } from 'node:path';
import type { SecretName, SigningKey, SigningPurpose } from '../../credentials/KeyStore';
import type { Engine } from '../database/engine';
import { LookUp } from '../database/LookUp';
import type { CurrentKeyTable, Database, KeyFingerprintTable } from '../schema';
import { FileKeyStore } from './FileKeyStore';
import type { FileKey } from './FileKeyStore';

const fingerprints = new LookUp(({ db }) =>
  db.selectFrom('keyFingerprints').selectAll().orderBy('file'), { isFrequent: true });
const current = new LookUp(({ db }) =>
  db.selectFrom('currentKeys').selectAll().orderBy('name'), { isFrequent: true });
const locked = new LookUp(({ db, engine }) => {
  const query = db.selectFrom('currentKeys').selectAll().orderBy('name');
  return engine.rowLocks ? query.forShare() : query;
});

/** The rows about keys. */
export interface KeyRows {
  /** Every key, with the moment from which a signing key signs. */
  fingerprints: KeyFingerprintTable[];
  /** The secrets in use. */
  current: CurrentKeyTable[];
}

/** Reads the rows about keys. */
export async function readKeyRows(db: Database, engine: Engine): Promise<KeyRows> {
  // Both at once, so that PostgreSQL gets one statement.
  const [ known, inUse ] = await Promise.all([ fingerprints.all(db, engine), current.all(db, engine) ]);
  return { fingerprints: known, current: inUse };
}

/** Reads which secrets are in use, which stay so until the transaction ends. */
export async function lockCurrentKeys(trx: Database, engine: Engine): Promise<CurrentKeyTable[]> {
  return locked.all(trx, engine);
}

/**
 * The keys that the records knew at one moment, read from their files: which secrets were in use and which were
 * earlier ones, and when each signing key begins to sign.
 */
export class RecordedKeys {
  private constructor(
    private readonly rows: KeyRows,
    private readonly files: FileKeyStore,
  ) {}

  /**
   * Reads the files of the keys. Files that the rows do not name are left out.
   *
   * @throws Error as {@link FileKeyStore.open} does, and when there is no fingerprint of a secret in use.
   */
  public static async open(folder: string, rows: KeyRows): Promise<RecordedKeys> {
    const known = new Map(rows.fingerprints.map((row): [string, string] => [ row.file, row.fingerprint ]));
    const files = await FileKeyStore.open(folder, known);
    for (const { file } of rows.current) {
      if (!known.has(file)) {
        throw new Error(`--keys: the records have no fingerprint of the key in use, ${join(folder, file)}`);
      }
    }
    return new RecordedKeys(rows, files.only([ ...known.keys() ]));
  }

  /** Checks whether the records have had no change of keys since. */
  public isOf(rows: KeyRows): boolean {
    return JSON.stringify(rows) === JSON.stringify(this.rows);
  }

  /** Checks whether the same secrets are in use still. */
  public uses(rows: CurrentKeyTable[]): boolean {
    return JSON.stringify(rows) === JSON.stringify(this.rows.current);
  }

  /** Returns the name of the file of the secret in use. */
  public fileOf(name: SecretName): string {
    // Records have a secret in use of every name from their start.
    return this.rows.current.find((row): boolean => row.name === name)!.file;
  }

  /** Returns the secret in use. */
  public getSecret(name: SecretName): Buffer {
    return this.files.getSecret(this.fileOf(name));
  }

  /** Returns the secret in use, then earlier ones. */
  public getSecrets(name: SecretName): Buffer[] {
    const file = this.fileOf(name);
    return [ file, ...this.files.secretFiles(name).filter((other): boolean => other !== file) ]
      .map((one): Buffer => this.files.getSecret(one));
  }

  /** Returns the signing keys in files: those that sign by now, then those that do not yet, each newest first. */
  public getSigningKeys(purpose: SigningPurpose, now: Date): SigningKey[] {
    const signsFrom = new Map(this.rows.fingerprints.map((row): [string, number] => [ row.file, row.signsFrom ]));
    const keys = this.files.getSigningKeys(purpose)
      .map((key): { key: FileKey; from: number } =>
        ({ key, from: signsFrom.get(`${purpose}-${key.id}.jwk`) ?? 0 }))
      .sort((left, right): number => newness(right) - newness(left));
    return [
      ...keys.filter(({ from }): boolean => from <= now.getTime()),
      ...keys.filter(({ from }): boolean => from > now.getTime()),
    ].map(({ key }): SigningKey => key);
  }
}

/** Returns when a key became new: it may have been made long before it was first used. */
function newness({ key, from }: { key: FileKey; from: number }): number {
  return Math.max(key.createdAt.getTime(), from);
}
