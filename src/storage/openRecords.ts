import { sql } from 'kysely';
import type { Signer } from '../credentials/Signer';
import { SignerKeys } from '../credentials/SignerKeys';
import type { Clock, NewId } from '../platform/clock';
import type { AuditLog } from '../audit/AuditLog';
import type { Outbox } from '../events/EventStore';
import type { Logger } from '../platform/logger';
import type { Records } from '../platform/Records';
import type { ProofStore } from '../tokens/ProofStore';
import { AuditChain } from './audit/AuditChain';
import { SqlActivityStore } from './audit/SqlActivityStore';
import { isPostgresUrl, openDatabase } from './database/engine';
import type { Engine, OpenDatabase } from './database/engine';
import { holdRecords } from './database/holdRecords';
import { FileKeyStore, isSecretKind, kindOf, makeMissingKeys, signingPurposes } from './keys/FileKeyStore';
import { KeyRing } from './keys/KeyRing';
import { KeyFiles } from './keys/KeyFiles';
import { KeyRewriting } from './keys/KeyRewriting';
import { KeyRotation } from './keys/KeyRotation';
import { readKeyRows, RecordedKeys } from './keys/RecordedKeys';
import { ServerSecretRotation } from './keys/ServerSecretRotation';
import { ServerSecrets } from './keys/ServerSecrets';
import { migrate, requireMigrated } from './migrate';
import type { Database } from './schema';
import { SqlAuditLog, TransactionAuditLog } from './audit/SqlAuditLog';
import { SqlCitizenStore } from './stores/SqlCitizenStore';
import { SqlContractUseStore } from './stores/SqlContractUseStore';
import { SqlDataCopyStore } from './stores/SqlDataCopyStore';
import { SqlDutyStore } from './stores/SqlDutyStore';
import { SqlEventStore, TransactionOutbox } from './events/SqlEventStore';
import { SqlSubscriptionStore } from './events/SqlSubscriptionStore';
import { SqlGrantStore } from './grants/SqlGrantStore';
import { SqlUsableGrants } from './grants/SqlUsableGrants';
import { SqlEndedTokenStore } from './stores/SqlEndedTokenStore';
import { SqlInvitationStore } from './stores/SqlInvitationStore';
import { SqlGuessStore } from './stores/SqlGuessStore';
import { SqlKeyValues } from './pods/SqlKeyValues';
import { SqlPodOwnerStore } from './stores/SqlPodOwnerStore';
import { SqlPodStore } from './pods/SqlPodStore';
import { SqlProofStore } from './stores/SqlProofStore';
import { SqlShareStore } from './stores/SqlShareStore';
import { SqlStatusListStore } from './stores/SqlStatusListStore';
import { SqlSuspensionStore } from './stores/SqlSuspensionStore';
import type { Stores } from './Stores';
import { SqlSweepStore } from './stores/SqlSweepStore';
import { Vault } from './keys/Vault';

/** Options of {@link openRecords}. */
export interface OpenRecordsOptions {
  /** Path of an SQLite file, or a `postgres://` URL. */
  records: string;
  /** Folder of key files. */
  keys: string;
  /** Keeps the signing keys; they are files when absent. */
  signer?: Signer;
  /** Remembers DPoP proofs instead of the records; enough for a single process. */
  proofs?: ProofStore;
  clock: Clock;
  newId: NewId;
  /** True to refuse records that are missing or of another version, instead of creating or migrating them. */
  existing?: boolean;
  /** True for a server, which has records in a file to itself, with its workers. */
  held?: boolean;
  /** Logs when reads cannot be written to the audit log yet. */
  logger: Logger;
}

/** Options besides the database. */
export type Opening = Omit<OpenRecordsOptions, 'existing' | 'held' | 'records'>;

/** Stores for pods and for the server's own values. */
export interface PodRoom {
  resources: SqlPodStore;
  values: SqlKeyValues;
}

/** The tables of the records, for a separate service that has tables of its own among them. */
export interface RecordsTables extends OpenDatabase {
  /** Encrypts personal data in them. */
  vault: Vault;
  /** For events outside of transactions. */
  audit: AuditLog;
  /** For events of data users outside of transactions. */
  events: Outbox;
  /** Runs work in one transaction; like {@link Records.transaction}, it may run the work again. */
  transaction: <T>(work: (trx: Database, stores: Stores) => Promise<T>) => Promise<T>;
}

/** The open records, and the keys that belong to them. */
export interface OpenRecords {
  records: Records<Stores>;
  tables: RecordsTables;
  keys: KeyRing;
  /** Makes key files. */
  keyFiles: KeyFiles;
  /** Replaces keys that have files. */
  rotation: KeyRotation;
  /** Replaces keys that have no files. */
  secretRotation: ServerSecretRotation;
  /** Rewrites rows under the current secrets. */
  rewriting: KeyRewriting;
  /** Secrets of Community Solid Server. */
  serverSecrets: ServerSecrets;
  /** Stores for pods and for the server's own values, on PostgreSQL only. */
  pods?: PodRoom;
  /** Resolves when the database responds. */
  ping: () => Promise<void>;
  /** Runs work while no other process on the same records does. */
  inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  /** Writes queued events, then closes the database. */
  close: () => Promise<void>;
}

/** Attempts at a transaction that fails only because of another one. */
const maxAttempts = 3;

/**
 * Opens the records and their keys. Creates the file and folders when absent, updates the schema, makes keys for new
 * records, and seals data that an earlier version stored unencrypted.
 *
 * @throws Error that names `--records` or `--keys` when the database cannot be opened, was written by a later version,
 * belongs to other keys, or is held by another server.
 */
export async function openRecords(options: OpenRecordsOptions): Promise<OpenRecords> {
  const database = await openDatabase(options.records, { mustExist: options.existing });
  let giveUp: (() => void) | undefined;
  try {
    giveUp = options.held && !isPostgresUrl(options.records) ? await holdRecords(options.records) : undefined;
    await (options.existing ? requireMigrated(database) : migrate(database, options.clock));
    const opened = await recordsOn(database, options);
    if (!options.existing) {
      await opened.rewriting.sealClear();
    }
    return { ...opened, close: async(): Promise<void> => opened.close().finally(giveUp) };
  } catch (error: unknown) {
    await database.db.destroy();
    giveUp?.();
    throw error;
  }
}

/** Opens the records on an open database that has the schema, whether or not others use it. */
export async function recordsOn(
  database: OpenDatabase,
  options: Opening,
): Promise<OpenRecords> {
  const keys = await openKeys(database, options);
  const vault = new Vault(keys);
  const chain = new AuditChain(vault, options.newId, database.engine);
  const audit = new SqlAuditLog(database.db, chain, options.logger);
  const { keys: folder, clock, newId } = options;
  const files = new KeyFiles({ database, folder, clock, newId });
  const rewriting = new KeyRewriting({ database, keys, vault, chain });
  return {
    keys,
    keyFiles: files,
    rotation: new KeyRotation({ database, keys, files, rewriting, chain, clock }),
    secretRotation: new ServerSecretRotation({ database, vault, chain, clock, newId }),
    rewriting,
    serverSecrets: new ServerSecrets({ database, vault, clock, newId }),
    ...makeRecords(database, vault, audit, options),
    pods: database.engine.name === 'postgres' ? podsOn(database, options) : undefined,
    ping: async(): Promise<void> => {
      await sql`select 1`.execute(database.db);
    },
    inTurn: async<T>(work: () => Promise<T>): Promise<T> => database.engine.inTurn(database.db, work),
    close: async(): Promise<void> => audit.flush().finally(async(): Promise<void> => database.db.destroy()),
  };
}

/** Opens the stores for pods on an open database that has the schema. */
export function podsOn({ db, engine }: OpenDatabase, { clock, newId }: Pick<Opening, 'clock' | 'newId'>): PodRoom {
  return { resources: new SqlPodStore(db, engine, clock, newId), values: new SqlKeyValues(db) };
}

/** Opens the keys under the same lock as the schema, so that two processes never make two sets. */
async function openKeys(database: OpenDatabase, options: Opening): Promise<KeyRing> {
  const { db, engine } = database;
  const { keys: folder, clock, logger, newId, signer } = options;
  return db.transaction().execute(async(trx): Promise<KeyRing> => {
    await engine.lockStart?.(trx);
    const areNew = !await trx.selectFrom('keyFingerprints').select('file').executeTakeFirst();
    if (areNew) {
      await makeFirstKeys(trx, options);
    }
    const recorded = await RecordedKeys.open(folder, await readKeyRows(trx, engine));
    const outside = signer && await SignerKeys.open({ signer, now: clock, logger });
    const keys = new KeyRing({ database, folder, outside, clock, logger }, recorded);
    if (areNew) {
      await new AuditChain(new Vault(keys), newId, engine).start(trx);
      await new SqlStatusListStore(trx, clock, newId).start();
    }
    return keys;
  });
}

/** Makes and records the keys of new records. */
async function makeFirstKeys(trx: Database, { keys: folder, clock, newId, signer }: Opening): Promise<void> {
  await makeMissingKeys(signer ? [] : signingPurposes, { folder, clock, newId });
  const files = await FileKeyStore.open(folder, new Map());
  for (const [ file, fingerprint ] of files.fingerprints()) {
    if (isFirst(file)) {
      const row = { file, fingerprint, recordedAt: clock().getTime(), signsFrom: 0 };
      await trx.insertInto('keyFingerprints').values(row).execute();
    }
  }
}

/** Checks whether new records use a key of the folder from the start. Others wait until they are put to use. */
function isFirst(file: string): boolean {
  // Only files of keys are read.
  const kind = kindOf(file)!;
  return !isSecretKind(kind) || file === `${kind}.key`;
}

function makeRecords(
  { db, engine }: OpenDatabase,
  vault: Vault,
  audit: SqlAuditLog,
  options: Opening,
): Pick<OpenRecords, 'records' | 'tables'> {
  const chain = new AuditChain(vault, options.newId, engine);
  async function transaction<T>(work: (trx: Database, stores: Stores) => Promise<T>): Promise<T> {
    return retry(engine, async(): Promise<T> => db.transaction().execute(async(trx): Promise<T> => {
      const log = new TransactionAuditLog(trx, chain, audit);
      const outbox = new TransactionOutbox(trx, options);
      const events = new SqlEventStore(trx, options, outbox);
      const result = await work(trx, makeStores({ db: trx, engine, vault, chain, audit: log, events }, options));
      await outbox.flush();
      await log.flush();
      return result;
    }));
  }
  const events = new SqlEventStore(db, options);
  return {
    records: {
      ...makeStores({ db, engine, vault, chain, audit, events }, options),
      transaction: async<T>(work: (stores: Stores) => Promise<T>): Promise<T> =>
        transaction(async(...[ , stores ]): Promise<T> => work(stores)),
    },
    tables: { db, engine, vault, audit, events, transaction },
  };
}

/** Parts of stores, within a transaction or outside. */
interface StoreParts extends OpenDatabase {
  vault: Vault;
  chain: AuditChain;
  audit: AuditLog;
  events: SqlEventStore;
}

function makeStores({ db, engine, vault, chain, audit, events }: StoreParts, options: Opening): Stores {
  return {
    citizens: new SqlCitizenStore(db, vault, engine),
    podOwners: new SqlPodOwnerStore(db, engine),
    contractUses: new SqlContractUseStore(db, engine),
    suspensions: new SqlSuspensionStore(db, engine),
    shares: new SqlShareStore(db, engine),
    grants: new SqlGrantStore(db, engine, events),
    usableGrants: new SqlUsableGrants(db, engine),
    statusLists: new SqlStatusListStore(db, options.clock, options.newId),
    dataCopies: new SqlDataCopyStore(db, engine),
    duties: new SqlDutyStore(db),
    guesses: new SqlGuessStore(db, vault),
    proofs: options.proofs ?? new SqlProofStore(db, engine),
    endedTokens: new SqlEndedTokenStore(db, engine),
    invitations: new SqlInvitationStore(db),
    sweeps: new SqlSweepStore(db),
    events,
    subscriptions: new SqlSubscriptionStore(db, engine),
    audit,
    activity: new SqlActivityStore(db, chain),
  };
}

async function retry<T>(engine: Engine, attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (error: unknown) {
      if (attempts === maxAttempts || !engine.isConflict(error)) {
        throw error;
      }
    }
  }
}
