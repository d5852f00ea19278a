import { join } from 'node:path';
import type { Clock, NewId } from '../../platform/clock';
import { KeyUnavailable } from '../../credentials/KeyStore';
import type { KeyStore, SecretName, SigningKey, SigningPurpose } from '../../credentials/KeyStore';
import { missingKeys } from '../../platform/diagnostics';
import type { Signer } from '../../credentials/Signer';
import { SignerKeys } from '../../credentials/SignerKeys';
import type { Logger } from '../../platform/logger';
import type { Engine } from '../database/engine';
import { LookUp } from '../database/LookUp';
import type { CurrentKeyTable, Database, KeyFingerprintTable } from '../schema';
import { messageOf } from '../../platform/errors';
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

/** No key of a signer. */
const none: readonly SigningKey[] = [];

/** Keys as recorded. */
interface KnownKeys {
  fingerprints: KeyFingerprintTable[];
  current: CurrentKeyTable[];
}

/** Dependencies and settings of {@link KeyRing}. */
export interface KeyRingOptions {
  /** Connection outside of any transaction. */
  db: Database;
  engine: Engine;
  folder: string;
  /** Keeps the signing keys; absent when they are files. */
  signer?: Signer;
  clock: Clock;
  newId: NewId;
  /** Logs once when a key in use cannot be read, and once when all can be read again. */
  logger: Pick<Logger, 'error' | 'warn'>;
}

/**
 * The keys in a folder of files, and what the records say about them: which secrets are in use and which are earlier
 * ones, and when each signing key begins to sign.
 *
 * Other processes may add keys and start to use them at any time, without a message to this one, so the records are
 * read whenever it matters. {@link lock} ensures, before anything is written under a secret, that it is the one in use.
 * {@link refresh} looks for new keys before anything is signed or published, and when something cannot be found or
 * read.
 */
export class KeyRing implements KeyStore {
  /** The reason why a key in use cannot be read. */
  private lack?: string;

  private constructor(
    private readonly options: KeyRingOptions,
    private files: FileKeyStore,
    private known: KnownKeys,
    private readonly outside?: SignerKeys,
  ) {}

  /**
   * Opens the keys of existing records.
   *
   * @throws Error as {@link FileKeyStore.open} does.
   */
  public static async open(options: KeyRingOptions, trx: Database): Promise<KeyRing> {
    const known = await readKnown(trx, options.engine);
    const { clock: now, logger, signer } = options;
    const outside = signer && await SignerKeys.open({ signer, now, logger });
    return new KeyRing(options, await openFiles(options, known), known, outside);
  }

  public getSecret(name: SecretName): Buffer {
    return this.files.getSecret(this.fileOf(name));
  }

  public getSecrets(name: SecretName): Buffer[] {
    const file = this.fileOf(name);
    return [ file, ...this.files.secretFiles(name).filter((other): boolean => other !== file) ]
      .map((one): Buffer => this.files.getSecret(one));
  }

  public getSigningKeys(purpose: SigningPurpose): SigningKey[] {
    const now = this.options.clock().getTime();
    const signsFrom = new Map(this.known.fingerprints.map((row): [string, number] => [ row.file, row.signsFrom ]));
    const keys = this.files.getSigningKeys(purpose)
      .map((key): { key: FileKey; from: number } =>
        ({ key, from: signsFrom.get(`${purpose}-${key.id}.jwk`) ?? 0 }))
      .sort((left, right): number => newness(right) - newness(left));
    const files = [
      ...keys.filter(({ from }): boolean => from <= now),
      ...keys.filter(({ from }): boolean => from > now),
    ].map(({ key }): SigningKey => key);
    // Keys in files signed before there was a signer.
    return this.outside ? [ ...this.outside.get(purpose), ...files ] : files;
  }

  public getTokenKeys(): readonly SigningKey[] {
    return this.outside?.get('tokens') ?? none;
  }

  public async refresh(): Promise<boolean> {
    const hasChanged = await this.refreshOn(this.options.db);
    return await this.outside?.refresh() === true || hasChanged;
  }

  /**
   * Reloads the state of the keys from the records.
   *
   * @param db - The current transaction, if there is one.
   *
   * @returns True when anything had changed.
   *
   * @throws KeyUnavailable when a key in use cannot be read here. The next call tries again.
   */
  public async refreshOn(db: Database): Promise<boolean> {
    const known = await readKnown(db, this.options.engine);
    const hasChanged = JSON.stringify(known) !== JSON.stringify(this.known);
    if (hasChanged) {
      this.files = await this.openAll(known);
      this.known = known;
    }
    this.note();
    return hasChanged;
  }

  public get lacksKeys(): boolean {
    return this.lack !== undefined;
  }

  /**
   * Must be called in a transaction before it writes anything under a secret. The secrets in use then stay the same
   * until the transaction ends, so nothing is written under a secret that has just been replaced.
   */
  public async lock(trx: Database): Promise<void> {
    const inUse = await locked.all(trx, this.options.engine);
    if (JSON.stringify(inUse) !== JSON.stringify(this.known.current)) {
      await this.refreshOn(trx);
    }
  }

  /** Returns the name of the file of the secret in use. */
  public fileOf(name: SecretName): string {
    // Records have a secret in use of every name from their start.
    return this.known.current.find((row): boolean => row.name === name)!.file;
  }

  private async openAll(known: KnownKeys): Promise<FileKeyStore> {
    try {
      return await openFiles(this.options, known);
    } catch (cause: unknown) {
      const message = messageOf(cause);
      this.note(message);
      throw new KeyUnavailable(message, { cause });
    }
  }

  private note(lack?: string): void {
    const { logger } = this.options;
    if (lack === this.lack) {
      return;
    }
    this.lack = lack;
    missingKeys.publish(lack !== undefined);
    if (lack === undefined) {
      logger.warn('--keys: all keys in use can be read again');
    } else {
      logger.error(`${lack}. Until it can be read, this process is not ready, and answers 503 where the key is needed`);
    }
  }
}

/** Returns when a key became new: it may have been made long before it was first used. */
function newness({ key, from }: { key: FileKey; from: number }): number {
  return Math.max(key.createdAt.getTime(), from);
}

async function readKnown(db: Database, engine: Engine): Promise<KnownKeys> {
  // Both at once, so that PostgreSQL gets one statement.
  const [ known, inUse ] = await Promise.all([ fingerprints.all(db, engine), current.all(db, engine) ]);
  return { fingerprints: known, current: inUse };
}

async function openFiles({ folder, clock, newId }: KeyRingOptions, known: KnownKeys): Promise<FileKeyStore> {
  const prints = new Map(known.fingerprints.map((row): [string, string] => [ row.file, row.fingerprint ]));
  const files = await FileKeyStore.open({ folder, known: prints, clock, newId });
  for (const { file } of known.current) {
    if (!prints.has(file)) {
      throw new Error(`--keys: the records have no fingerprint of the key in use, ${join(folder, file)}`);
    }
  }
  return files.only([ ...prints.keys() ]);
}
