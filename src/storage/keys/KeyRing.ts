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

/** Keys as the records know them. */
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
  /** Told once when a key in use cannot be read, and when all can be again. */
  logger: Pick<Logger, 'error' | 'warn'>;
}

/**
 * The keys in a folder of files, and what the records say of them: which secrets are in use, and which only were, and
 * from when on each signing key signs.
 *
 * Other processes add keys and put them to use while this one serves. Nothing of that is announced: it is found in the
 * records where it matters. Before something is written under a secret, {@link lock} makes sure that it is the one in
 * use; before something is signed or published, or when something cannot be found or read, {@link refresh} looks for
 * keys that are new.
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
   * Reads the keys of records that have some.
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
    // Those in files signed until there was a signer.
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
   * Takes over what the records say by now.
   *
   * @param db - The transaction, when it is called within one.
   *
   * @returns Whether anything had changed.
   *
   * @throws KeyUnavailable when the records have a key in use that cannot be read here. The next call tries again.
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
   * To be called in a transaction before it writes anything under a secret: until it ends, the secrets in use stay the
   * ones they are. So nothing is written under a secret that is not in use any more.
   */
  public async lock(trx: Database): Promise<void> {
    const inUse = await locked.all(trx, this.options.engine);
    if (JSON.stringify(inUse) !== JSON.stringify(this.known.current)) {
      await this.refreshOn(trx);
    }
  }

  /** Name of the file of the secret in use. */
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
      logger.error(`${lack}. This process is not ready, and answers 503 to what needs the key, until it can be read`);
    }
  }
}

/** A key may have been made long before it was put to use. */
function newness({ key, from }: { key: FileKey; from: number }): number {
  return Math.max(key.createdAt.getTime(), from);
}

async function readKnown(db: Database, engine: Engine): Promise<KnownKeys> {
  // Asked for together: by one statement, where the records are on a server.
  const [ known, inUse ] = await Promise.all([ fingerprints.all(db, engine), current.all(db, engine) ]);
  return { fingerprints: known, current: inUse };
}

async function openFiles({ folder, clock, newId }: KeyRingOptions, known: KnownKeys): Promise<FileKeyStore> {
  const prints = new Map(known.fingerprints.map((row): [string, string] => [ row.file, row.fingerprint ]));
  const files = await FileKeyStore.open({ folder, known: prints, clock, newId });
  for (const { file } of known.current) {
    if (!prints.has(file)) {
      throw new Error(`--keys: the records do not know the key in use, ${join(folder, file)}`);
    }
  }
  return files.only([ ...prints.keys() ]);
}
