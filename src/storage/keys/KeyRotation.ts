import { setTimeout } from 'node:timers/promises';
import type { AuditEventType } from '../../audit/AuditLog';
import type { Clock } from '../../platform/clock';
import type { SecretName } from '../../credentials/KeyStore';
import { Refused } from '../../operations/Refused';
import type { AuditChain } from '../audit/AuditChain';
import type { OpenDatabase } from '../database/engine';
import type { CurrentKeyTable, Database } from '../schema';
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
  chain: Pick<AuditChain, 'change'>;
  clock: Clock;
}

/**
 * Replaces keys while servers run.
 *
 * A secret is added first, so that every process can read with it. Then it is put to use, once all transactions that
 * write under the earlier one have ended: new data is written under it. Finally all rows are rewritten under it, in
 * batches. Each step can be repeated, and a crash between two rows loses nothing: rows under both secrets are found and
 * read until the earlier one is retired. The audit row is in the transaction that changes which key is used.
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
   * @throws Refused when there is no such file, or it is a signing key that was published before.
   */
  public async rotate(kind: KeyKind, file: string | undefined, operator: string): Promise<string> {
    const { files, keys } = this.options;
    const name = file ?? await files.make(kind);
    const note = this.noteOf('key.rotated', name, operator);
    if (isSecretKind(kind)) {
      await files.add(kind, name);
      await keys.refresh();
      await this.use(kind, name, note);
    } else if (!await files.add(kind, name, note)) {
      throw new Refused(`${name} is in the records already: it is published.`);
    }
    await keys.refresh();
    return name;
  }

  /**
   * Retires an earlier secret: nothing can be read with it afterwards. Short-lived tokens derived from it become void
   * as soon as each server notices.
   *
   * @throws Refused while it is in use, or anything is still under it, or when the secret in use changes meanwhile.
   */
  public async retire(file: string, operator: string): Promise<void> {
    const { database: { db }, keys, rewriting } = this.options;
    const before = await readInUse(db);
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
    await rewriting.rewrite();
    await this.requireNoGuesses(kind);
    await this.change(this.noteOf('key.retired', file, operator), async(trx, since): Promise<void> => {
      const now = await readInUse(trx);
      if (!isSame(before.get(kind), now.get(kind))) {
        // Rows may have been written under the retired secret since others were rewritten.
        throw new Refused(`${kind} was rotated meanwhile: ${file} is not retired. Run the command again.`);
      }
      await trx.updateTable('currentKeys').set({ file: now.get('encryption')!.file, since })
        .where('name', '=', 'tokens')
        .where('file', '=', file)
        .execute();
      await trx.deleteFrom('keyFingerprints').where('file', '=', file).execute();
    });
    await keys.refresh();
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

  private async use(name: SecretName, file: string, note: Note): Promise<void> {
    await this.change(note, async(trx, since): Promise<void> => {
      if (!await trx.selectFrom('keyFingerprints').select('file').where('file', '=', file).executeTakeFirst()) {
        throw new Refused(`${file} was retired meanwhile.`);
      }
      await trx.updateTable('currentKeys').set({ file, since })
        .where('name', '=', name)
        .where('file', '<>', file)
        .execute();
    });
  }

  /**
   * Changes which secrets are used, with an audit row, while nobody writes under them.
   *
   * Waits by retrying: a wait in the database for the writers would make others wait for this transaction, and could
   * end in a deadlock.
   */
  private async change(note: Note, work: (trx: Database, now: number) => Promise<void>): Promise<void> {
    const { database: { db, engine }, clock } = this.options;
    for (let attempt = 1; ; attempt += 1) {
      try {
        await db.transaction().execute(async(trx): Promise<void> => {
          // Before the lock, as writers lock the chain and then read which secrets are in use.
          await note(trx);
          if (engine.rowLocks) {
            await trx.selectFrom('currentKeys').select('file').forUpdate().noWait().execute();
          }
          await work(trx, clock().getTime());
        });
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

  private noteOf(type: AuditEventType, file: string, operator: string): Note {
    const { chain, clock } = this.options;
    return async(trx): Promise<void> =>
      chain.change(trx, [{ append: { type, at: clock(), facts: { file }, personal: { operator }}}]);
  }
}

/** Writes an audit row in a transaction. */
type Note = (trx: Database) => Promise<void>;

async function readInUse(db: Database): Promise<Map<string, CurrentKeyTable>> {
  const rows = await db.selectFrom('currentKeys').selectAll().execute();
  return new Map(rows.map((row): [string, CurrentKeyTable] => [ row.name, row ]));
}

function isSame(one: CurrentKeyTable | undefined, other: CurrentKeyTable | undefined): boolean {
  return one?.file === other?.file && one?.since === other?.since;
}
