import type { Clock, NewId } from '../../platform/clock';
import { Refused } from '../../operations/Refused';
import type { OpenDatabase } from '../database/engine';
import type { Database } from '../schema';
import type { KeyKind } from './FileKeyStore';
import { FileKeyStore, isSecretKind, kindOf, makeKeyFile } from './FileKeyStore';

/** Seconds for which a new signing key is published before it signs: longer than key documents may be cached. */
export const publishedSeconds = 120;

/** Dependencies of {@link KeyFiles}. */
export interface KeyFilesOptions {
  database: OpenDatabase;
  /** The folder of keys. */
  folder: string;
  clock: Clock;
  newId: NewId;
}

/** Key files, and their fingerprints in the records. */
export class KeyFiles {
  public constructor(private readonly options: KeyFilesOptions) {}

  /** Makes a key file, which the operator copies to the other machines before it is used. */
  public async make(kind: KeyKind): Promise<string> {
    return makeKeyFile(kind, this.options);
  }

  /**
   * Adds a key file to the records: from then on, every process can read with it, or publish it.
   *
   * @param kind - Kind of key.
   * @param file - Name of its file in the folder.
   * @param note - Called in the transaction that adds it.
   *
   * @returns False when the records know it already.
   *
   * @throws Refused when there is no such file.
   */
  public async add(kind: KeyKind, file: string, note?: (trx: Database) => Promise<void>): Promise<boolean> {
    const { database: { db, engine }, folder, clock } = this.options;
    if (kindOf(file) !== kind) {
      throw new Refused(`${file} is not a name for a key file of ${kind}.`);
    }
    return db.transaction().execute(async(trx): Promise<boolean> => {
      await engine.lockStart?.(trx);
      const rows = await trx.selectFrom('keyFingerprints').select([ 'file', 'fingerprint' ]).execute();
      const known = new Map(rows.map((row): [string, string] => [ row.file, row.fingerprint ]));
      const fingerprint = (await FileKeyStore.open(folder, known)).fingerprints().get(file);
      if (fingerprint === undefined) {
        throw new Refused(`There is no file ${file} in the folder of keys.`);
      }
      if (known.has(file)) {
        return false;
      }
      const now = clock().getTime();
      const signsFrom = isSecretKind(kind) ? 0 : now + (publishedSeconds * 1000);
      await trx.insertInto('keyFingerprints').values({ file, fingerprint, recordedAt: now, signsFrom }).execute();
      await note?.(trx);
      return true;
    });
  }
}
