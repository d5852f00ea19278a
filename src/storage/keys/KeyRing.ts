import type { Clock } from '../../platform/clock';
import { KeyUnavailable } from '../../credentials/KeyStore';
import type { KeyStore, SecretName, SigningKey, SigningPurpose } from '../../credentials/KeyStore';
import { missingKeys } from '../../platform/diagnostics';
import type { SignerKeys } from '../../credentials/SignerKeys';
import type { Logger } from '../../platform/logger';
import type { OpenDatabase } from '../database/engine';
import type { Database } from '../schema';
import { messageOf } from '../../platform/errors';
import { lockCurrentKeys, readKeyRows, RecordedKeys } from './RecordedKeys';
import type { KeyRows } from './RecordedKeys';

/** No key of a signer. */
const none: readonly SigningKey[] = [];

/** Dependencies and settings of {@link KeyRing}. */
export interface KeyRingOptions {
  /** Connection outside of any transaction. */
  database: OpenDatabase;
  /** Folder of key files. */
  folder: string;
  /** The signing keys of a signer; absent when they are files. */
  outside?: SignerKeys;
  clock: Clock;
  /** Logs once when a key in use cannot be read, and once when all can be read again. */
  logger: Pick<Logger, 'error' | 'warn'>;
}

/**
 * The keys as the records know them now, and those of a signer.
 *
 * Other processes may add keys and start to use them at any time, without a message to this one, so the records are
 * read whenever it matters. {@link lock} ensures, before anything is written under a secret, that it is the one in use.
 * {@link refresh} looks for new keys before anything is signed or published, and when something cannot be found or
 * read.
 */
export class KeyRing implements KeyStore {
  /** The reason why a key in use cannot be read. */
  private lack?: string;

  /**
   * @param options - Dependencies and settings.
   * @param recorded - The keys as last read.
   */
  public constructor(
    private readonly options: KeyRingOptions,
    private recorded: RecordedKeys,
  ) {}

  public getSecret(name: SecretName): Buffer {
    return this.recorded.getSecret(name);
  }

  public getSecrets(name: SecretName): Buffer[] {
    return this.recorded.getSecrets(name);
  }

  public getSigningKeys(purpose: SigningPurpose): SigningKey[] {
    const { clock, outside } = this.options;
    const files = this.recorded.getSigningKeys(purpose, clock());
    // Keys in files signed before there was a signer.
    return outside ? [ ...outside.get(purpose), ...files ] : files;
  }

  public getTokenKeys(): readonly SigningKey[] {
    return this.options.outside?.get('tokens') ?? none;
  }

  public async refresh(): Promise<boolean> {
    const hasChanged = await this.refreshOn(this.options.database.db);
    return await this.options.outside?.refresh() === true || hasChanged;
  }

  /**
   * Reloads the state of the keys from the records.
   *
   * @param db - The current transaction, if there is one.
   *
   * @returns True when anything has changed since the call, even if another call noticed it first.
   *
   * @throws KeyUnavailable when a key in use cannot be read here. The next call tries again.
   */
  public async refreshOn(db: Database): Promise<boolean> {
    const before = this.recorded;
    const rows = await readKeyRows(db, this.options.database.engine);
    if (!this.recorded.isOf(rows)) {
      const recorded = await this.open(rows);
      if (this.recorded !== before) {
        // Another call has finished meanwhile, and its rows may be newer.
        await this.refreshOn(db);
        return true;
      }
      this.recorded = recorded;
    }
    this.note();
    return this.recorded !== before;
  }

  public get lacksKeys(): boolean {
    return this.lack !== undefined;
  }

  /**
   * Must be called in a transaction before it writes anything under a secret. The secrets in use then stay the same
   * until the transaction ends, so nothing is written under a secret that has just been replaced.
   */
  public async lock(trx: Database): Promise<void> {
    const inUse = await lockCurrentKeys(trx, this.options.database.engine);
    if (!this.recorded.uses(inUse)) {
      await this.refreshOn(trx);
    }
  }

  /** Returns the name of the file of the secret in use. */
  public fileOf(name: SecretName): string {
    return this.recorded.fileOf(name);
  }

  private async open(rows: KeyRows): Promise<RecordedKeys> {
    try {
      return await RecordedKeys.open(this.options.folder, rows);
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
