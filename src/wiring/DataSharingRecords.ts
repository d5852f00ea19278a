import cluster from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { Initializer } from '@solid/community-server';
import type { Finalizable } from '@solid/community-server';
import { systemClock } from '../platform/clock';
import { readBaseUrl } from '../platform/readSettings';
import type { KeyStore } from '../credentials/KeyStore';
import type { Signer } from '../credentials/Signer';
import type { Records } from '../platform/Records';
import { foreignUrlMessage, isForeignUrl, isPostgresUrl } from '../storage/database/engine';
import { invitationDigests } from '../identity/InvitationStore';
import type { Invitations } from '../server/accounts/Invitations';
import type { TokenEnds } from '../server/accounts/TokenEnds';
import type { SealSource, SecretSource } from '../server/sealing/SealSource';
import type { Stores } from '../storage/Stores';
import { openRecords } from '../storage/openRecords';
import type { RecordsTables } from '../storage/openRecords';
import { appSubject } from '../tokens/EndedTokens';
import { cssLogger } from '../server/process/CssLogger';
import { RefusedSetting } from '../platform/RefusedSetting';
import { keepApart } from '../platform/keepApart';
import { withoutStack } from '../platform/withoutStack';
import { proofsOfMachine } from '../tokens/proofsOfMachine';
import type { PodDatabase } from '../server/rows/PodDatabase';
import type { StartTurns } from '../server/nodes/StartInTurn';

/** Options of {@link DataSharingRecords}. */
export interface DataSharingRecordsArgs {
  /** Base URL of the server: checked here, before the server stores it. */
  baseUrl: string;
  /** SQLite file, or a `postgres://` URL. */
  records: string;
  /** Folder of key files. */
  keys: string;
  /** Keeps the signing keys elsewhere; absent if they are files. */
  signer?: Signer;
  /** Root folder of the pods, when they are files: records and keys must not be reachable from there. */
  rootFilePath?: string;
  /** Number of processes. Several processes share their memory of DPoP proofs. */
  workers: number;
}

/** The records and keys of this package, opened once in each process and closed when it stops. */
export class DataSharingRecords extends Initializer
  implements Finalizable, Invitations, PodDatabase, SealSource, StartTurns, TokenEnds {
  private readonly args: DataSharingRecordsArgs;
  private opening?: ReturnType<typeof openRecords>;

  public constructor(args: DataSharingRecordsArgs) {
    super();
    this.args = args;
  }

  public async handle(): Promise<void> {
    await withoutStack(async(): Promise<void> => {
      readBaseUrl(this.args.baseUrl);
      if (isForeignUrl(this.args.records)) {
        throw new RefusedSetting(foreignUrlMessage);
      }
      await this.opened();
    });
  }

  /** Writes what is still queued and closes the database. */
  public async finalize(): Promise<void> {
    const opened = await this.opening;
    await opened?.close();
    if (opened) {
      cssLogger('DataSharingRecords').info('What was queued is written, and the records are closed.');
    }
  }

  /** The open records. */
  public async get(): Promise<Records<Stores>> {
    return (await this.opened()).records;
  }

  /** The keys that belong to the records. */
  public async keys(): Promise<KeyStore> {
    return (await this.opened()).keys;
  }

  /** The tables of the records, for a service of its own. */
  public async tables(): Promise<RecordsTables> {
    return (await this.opened()).tables;
  }

  /** Records that tokens of the server's own identity provider have ended. */
  public async endTokens(subjects: readonly string[]): Promise<void> {
    await (await this.get()).endedTokens.end(subjects, systemClock());
  }

  /** Records that all tokens of clients that are gone have ended. */
  public async endTokensOfClients(clients: readonly string[]): Promise<void> {
    await (await this.get()).endedTokens.endForGood(clients, systemClock());
  }

  /** Notes that the tokens of an app that acts as a WebID are good no more. */
  public async endTokensOfApp(webId: string, clientId: string): Promise<void> {
    await this.endTokens([ appSubject(webId, clientId) ]);
  }

  public async isGoodInvitation(code: string, address: string): Promise<boolean> {
    return (await this.get()).invitations.isOpen(invitationDigests(code, address), systemClock());
  }

  public async takeInvitation(code: string, address: string): Promise<boolean> {
    return (await this.get()).invitations.take(invitationDigests(code, address), systemClock());
  }

  /** Secrets of the server beneath, sealed under the keys. */
  public async secrets(): Promise<SecretSource> {
    return (await this.opened()).serverSecrets;
  }

  /** Room for pods and the server's own values, beside records on PostgreSQL. */
  public async pods(): ReturnType<PodDatabase['pods']> {
    const { pods } = await this.opened();
    if (!pods) {
      throw new Error('--records must be a postgres:// URL: this configuration keeps pods there, too');
    }
    return pods;
  }

  /** Checks whether other processes, here or on other machines, may use the same records at the same time. */
  public isShared(): boolean {
    const { records, workers } = this.args;
    return workers !== 1 || isPostgresUrl(records);
  }

  /** Resolves when the database responds. */
  public async ping(): Promise<void> {
    await (await this.opened()).ping();
  }

  public async inTurn<T>(work: () => Promise<T>): Promise<T> {
    return (await this.opened()).inTurn(work);
  }

  private async opened(): ReturnType<typeof openRecords> {
    this.opening ??= this.open();
    return this.opening;
  }

  private async open(): ReturnType<typeof openRecords> {
    const { records, keys, rootFilePath, signer, workers } = this.args;
    const isUrl = isPostgresUrl(records);
    keepApart(rootFilePath, { ...isUrl ? {} : { records }, keys });
    const opened = await openRecords({
      records: isUrl ? records : resolve(records),
      keys: resolve(keys),
      signer,
      // SQLite serves a single machine, so proofs can be remembered on it.
      proofs: isUrl ? undefined : proofsOfMachine(workers, systemClock),
      held: cluster.isPrimary,
      clock: systemClock,
      newId: randomUUID,
      logger: cssLogger('DataSharingRecords'),
    });
    if (opened.keys.getSigningKeys('grants').length === 0) {
      await opened.close();
      throw new Error('--keys: these records have no signing keys in files: give the configuration that keeps them');
    }
    return opened;
  }
}
