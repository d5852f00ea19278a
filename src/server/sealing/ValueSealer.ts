import { getLoggerFor, Initializer } from '@solid/community-server';
import type { ClusterManager } from '@solid/community-server';
import type { SealedStorage } from './SealedStorage';
import type { SealSource } from './SealSource';
import type { ServerKeyStorage } from './ServerKeyStorage';

/** Migrates values of earlier versions once. */
export interface TakingOver {
  takeOver: () => Promise<void>;
}

/**
 * Encrypts values that an earlier version, or a server without this package, stored in clear. Runs once, before
 * anything reads them.
 */
export class ValueSealer extends Initializer {
  private readonly logger = getLoggerFor(this);
  private readonly storages: SealedStorage[];
  private readonly followers: TakingOver[];
  private readonly keys: ServerKeyStorage;
  private readonly seals: SealSource;
  private readonly clusterManager: ClusterManager;

  /**
   * @param storages - All sealed storages.
   * @param followers - Parts that migrate sealed values of earlier versions, once all are sealed.
   * @param keys - Keys of the identity provider.
   * @param seals - Secrets of the server.
   * @param clusterManager - Identifies the primary process. Workers start after it is done.
   */
  public constructor(
    storages: SealedStorage[],
    followers: TakingOver[],
    keys: ServerKeyStorage,
    seals: SealSource,
    clusterManager: ClusterManager,
  ) {
    super();
    this.storages = storages;
    this.followers = followers;
    this.keys = keys;
    this.seals = seals;
    this.clusterManager = clusterManager;
  }

  public async handle(): Promise<void> {
    if (this.clusterManager.isWorker()) {
      return;
    }
    await this.keys.takeOver();
    const secrets = await this.seals.secrets();
    // Makes the secret if there is none.
    await secrets.valueSeals();
    if (!await secrets.isSettled('values')) {
      let sealed = 0;
      for (const storage of this.storages) {
        sealed += await storage.takeOver();
      }
      await secrets.settle('values');
      if (sealed > 0) {
        this.logger.info(`${sealed} values of accounts and sessions were stored in plain text, and are encrypted now`);
      }
    }
    for (const follower of this.followers) {
      await follower.takeOver();
    }
  }
}
