import { setTimeout } from 'node:timers/promises';
import type { AuditEventType, AuditLog } from '../../audit/AuditLog';
import type { Clock } from '../../platform/clock';
import type { SecretName } from '../../credentials/KeyStore';
import { Refused } from '../../operations/Refused';
import type { OpenDatabase } from '../database/engine';
import { codeOf } from '../../platform/errors';
import type { KeyKind, SecretFileName } from './FileKeyStore';
import { isSecretKind, kindOf } from './FileKeyStore';
import type { KeyFiles } from './KeyFiles';
import type { KeyRewriting } from './KeyRewriting';
import type { KeyRing } from './KeyRing';

/** Seconds for which wrong business keys count, and for which their blind index must stay readable. */
const guessSeconds = 24 * 3600;

/** Pause between attempts to lock out those who write under the secrets in use. */
const lockPauseMs = 20;
const maxLockAttempts = 500;

/** A key without its secret part. */
export interface KeyState {
  file: string;
  kind: KeyKind;
  /** Current uses. A secret that is not in use can still read, and a signing key always verifies. */
  inUse: string[];
  addedAt: Date;
  /** Set for a signing key that is published but does not sign yet. */
  signsFrom?: Date;
}

/** Dependencies and settings of {@link KeyRotation}. */
export interface KeyRotationOptions {
  database: OpenDatabase;
  keys: KeyRing;
  files: KeyFiles;
  rewriting: KeyRewriting;
  audit: Pick<AuditLog, 'append'>;
  clock: Clock;
}

/**
 * Replaces keys while servers run.
 *
 * A secret is added first, so that every process can read with it. Then it is put to use, once all transactions that
 * write under the earlier one have ended: new data is written under it. Finally all rows are rewritten under it, in
 * batches. Each step can be repeated, and a crash between two rows loses nothing: rows under both secrets are found and
 * read until the earlier one is retired.
 *
 * A signing key is published at once, and signs as soon as no cached copy of the key document can be older than it.
 */
export class KeyRotation {
  public constructor(private readonly options: KeyRotationOptions) {}

  /**
   * Puts a key to use.
   *
   * @param kind - Kind of key.
   * @param file - Name of its file in the folder; a new one is made when absent.
   * @param operator - Name of the operator.
   *
   * @throws Refused when there is no such file, or it was used before.
   */
  public async rotate(kind: KeyKind, file: string | undefined, operator: string): Promise<string> {
    const { files, keys } = this.options;
    const name = file ?? await files.make(kind);
    await files.add(kind, name);
    await keys.refresh();
    if (isSecretKind(kind)) {
      await this.use([ kind ], name);
    }
    await this.record('key.rotated', name, operator);
    return name;
  }

  /**
   * Retires an earlier secret: nothing can be read with it afterwards. Short-lived tokens derived from it become void
   * as soon as each server notices.
   *
   * @throws Refused while it is in use, or anything is still under it.
   */
  public async retire(file: string, operator: string): Promise<void> {
    const key = (await this.list()).find((one): boolean => one.file === file);
    if (!key) {
      throw new Refused('There is no such key.');
    }
    const { kind, inUse } = key;
    if (!isSecretKind(kind)) {
      throw new Refused('A signing key cannot be retired: what it signed is verified with it.');
    }
    if (inUse.includes(kind)) {
      throw new Refused(`${file} is in use: rotate ${kind} first.`);
    }
    await this.options.rewriting.rewrite();
    await this.requireNoGuesses(kind);
    if (inUse.includes('tokens')) {
      await this.use([ 'tokens' ], this.options.keys.fileOf('encryption'));
    }
    await this.options.database.db.deleteFrom('keyFingerprints').where('file', '=', file).execute();
    await this.record('key.retired', file, operator);
  }

  /** Lists all keys. */
  public async list(): Promise<KeyState[]> {
    const { db } = this.options.database;
    const current = await db.selectFrom('currentKeys').selectAll().execute();
    const rows = await db.selectFrom('keyFingerprints').selectAll().orderBy('recordedAt').orderBy('file').execute();
    await this.options.keys.refresh();
    const now = this.options.clock().getTime();
    return rows.map(({ file, recordedAt, signsFrom }): KeyState => {
      // The records name files of keys alone.
      const kind = kindOf(file)!;
      const isSigning = (kind === 'grants' || kind === 'credentials') &&
        `${kind}-${this.options.keys.getSigningKeys(kind)[0]?.id}.jwk` === file;
      return {
        file,
        kind,
        inUse: isSigning ?
            [ kind ] :
            current.filter((row): boolean => row.file === file).map(({ name }): string => name),
        addedAt: new Date(recordedAt),
        ...signsFrom > now && { signsFrom: new Date(signsFrom) },
      };
    });
  }

  /**
   * Waits by retrying: a wait in the database for the writers would make others wait for this transaction, and could
   * end in a deadlock.
   */
  private async use(names: SecretName[], file: string): Promise<void> {
    const { database: { db, engine }, clock } = this.options;
    for (let attempt = 1; ; attempt += 1) {
      try {
        await db.transaction().execute(async(trx): Promise<void> => {
          if (engine.rowLocks) {
            await trx.selectFrom('currentKeys').select('file').forUpdate().noWait().execute();
          }
          await trx.updateTable('currentKeys').set({ file, since: clock().getTime() })
            .where('name', 'in', names)
            .where('file', '<>', file)
            .execute();
        });
        await this.options.keys.refresh();
        return;
      } catch (error: unknown) {
        if (attempt === maxLockAttempts || codeOf(error) !== '55P03') {
          throw error;
        }
        await setTimeout(lockPauseMs);
      }
    }
  }

  /**
   * Refuses to retire a secret while guesses count: only the index of a guess's subject is known, so it cannot be
   * rewritten.
   */
  private async requireNoGuesses(secret: SecretFileName): Promise<void> {
    const { database: { db }, clock } = this.options;
    const { since } = await db.selectFrom('currentKeys').select('since').where('name', '=', secret)
      .executeTakeFirstOrThrow();
    const until = since + (guessSeconds * 1000);
    if (secret === 'blind-index' && clock().getTime() < until) {
      throw new Refused(`Wrong business keys are counted under it: it can be retired from ${
        new Date(until).toISOString()} on.`);
    }
  }

  private async record(type: AuditEventType, file: string, operator: string): Promise<void> {
    await this.options.audit.append({ type, at: this.options.clock(), facts: { file }, personal: { operator }});
  }
}
