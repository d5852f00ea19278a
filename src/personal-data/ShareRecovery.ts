import type { Clock } from '../platform/clock';
import { nameOf } from '../platform/errors';
import { groupBy } from '../platform/lists';
import type { Logger } from '../platform/logger';
import type { Records } from '../platform/Records';
import type { PodGateway } from '../pods/PodGateway';
import type { ResourceUri } from '../pods/resourceUri';
import { AccessForbidden, Unavailable } from '../problems';
import { digestOf, maxCredentialBytes } from './digest';
import { markInvalid } from './markInvalid';
import { noteAbsence } from './noteAbsence';
import type { PlannedShare, ShareChange } from './ShareChange';
import { applyChange, decodeChange } from './ShareChange';
import type { Share, ShareIntent } from './ShareStore';
import type { SharingStores } from './SharingStores';

/** Digest that marks an abandoned intent: no content has it, so the share is never finished. */
const abandoned = '';

/** Dependencies of {@link ShareRecovery}. */
export interface ShareRecoveryOptions {
  records: Records<SharingStores>;
  gateway: Pick<PodGateway, 'findBytes' | 'remove' | 'write'>;
  logger: Logger;
  now: Clock;
}

/** Finishes or undoes shares that failed or were interrupted, by a crash or by an outage of the pod or the records. */
export class ShareRecovery {
  public constructor(private readonly options: ShareRecoveryOptions) {}

  /** Undoes the writes of a failed call, unless the call has become visible after all. */
  public async takeBack(plans: PlannedShare[], intents: ShareIntent[]): Promise<void> {
    try {
      if (!await this.abandon(intents)) {
        await this.removeOrphans(plans);
        return;
      }
      for (const plan of plans.filter(({ bytes }): boolean => bytes !== undefined)) {
        await this.takeBackOne(plan);
      }
      await this.forget(intents);
    } catch (error: unknown) {
      this.options.logger.error(`A failed share is left to be undone later: ${nameOf(error)}`);
    }
  }

  /** Lists the ids of citizens with intents, whether their shares were interrupted or are still in progress. */
  public async listInterrupted(): Promise<Set<string>> {
    const intents = await this.options.records.shares.listIntents();
    return new Set(intents.map(({ citizenId }): string => citizenId));
  }

  /**
   * Finishes or undoes the interrupted calls of a citizen. A call with all of its resources in the pod is finished; any
   * other is undone. Call it only while no share of this citizen is in progress anywhere.
   */
  public async recover(citizenId: string): Promise<void> {
    const interrupted = await this.options.records.shares.listIntentsOf(citizenId);
    const batches = groupBy(interrupted, ({ plan }): string => decodeChange(plan).batch);
    for (const intents of batches.values()) {
      try {
        await this.recoverBatch(intents);
      } catch (error: unknown) {
        this.options.logger.error(`A share in progress could not be finished or undone yet: ${nameOf(error)}`);
      }
    }
  }

  /** Ensures that the intents are never finished. Returns false when another process has taken them. */
  private async abandon(intents: ShareIntent[]): Promise<boolean> {
    try {
      await this.options.records.transaction(async(stores): Promise<void> => {
        await takeIntents(stores, intents);
        await stores.shares.insertIntents(intents.map((intent): ShareIntent => ({ ...intent, digest: abandoned })));
      });
      return true;
    } catch (error: unknown) {
      if (error instanceof IntentsTaken) {
        return false;
      }
      throw error;
    }
  }

  private async forget(intents: ShareIntent[]): Promise<void> {
    await this.options.records.transaction(async({ shares }): Promise<void> => {
      for (const { id } of intents) {
        await shares.deleteIntent(id);
      }
    });
  }

  /**
   * Removes resources that have no share. A recovery on another node may have run before they were written, and found
   * nothing to remove.
   */
  private async removeOrphans(plans: PlannedShare[]): Promise<void> {
    const { gateway, records } = this.options;
    for (const { bytes, change: { share: { resource }}, existed } of plans) {
      if (bytes && !existed && !await records.shares.findByResource(resource)) {
        await gateway.remove(resource);
      }
    }
  }

  /** Restores the resource, unless the call did not replace it, or somebody has removed or changed it since. */
  private async takeBackOne({ change, existed, previous }: PlannedShare): Promise<void> {
    const { gateway } = this.options;
    const { digest, resource } = change.share;
    if (!existed) {
      await gateway.remove(resource);
      return;
    }
    const found = await gateway.findBytes(resource, maxCredentialBytes);
    if (!found || digestOf(found.bytes) !== digest) {
      return;
    }
    if (!previous) {
      throw new Error('The previous content of the resource is unknown');
    }
    await gateway.write(resource, previous.bytes, previous.contentType, found.etag);
  }

  private async recoverBatch(intents: ShareIntent[]): Promise<void> {
    if (await this.isWritten(intents) && await this.finish(intents)) {
      return;
    }
    // The node that was sharing may be frozen rather than dead: from here on it cannot finish the share.
    if (!await this.abandon(intents)) {
      return;
    }
    for (const intent of intents) {
      await this.undo(intent);
    }
    await this.forget(intents);
  }

  private async isWritten(intents: ShareIntent[]): Promise<boolean> {
    for (const { digest, resource } of intents) {
      if (await this.digestIn(resource) !== digest) {
        return false;
      }
    }
    return true;
  }

  private async finish(intents: ShareIntent[]): Promise<boolean> {
    try {
      await this.options.records.transaction(async(stores): Promise<void> => {
        await assertActive(stores, intents[0].citizenId);
        await takeIntents(stores, intents);
        for (const { plan } of intents) {
          await applyChange(stores, decodeChange(plan), this.options.now());
        }
      });
      return true;
    } catch (error: unknown) {
      this.options.logger.warn(`A share in progress is undone: ${nameOf(error)}`);
      return false;
    }
  }

  /**
   * Removes a new resource. An existing one has its old content or the new one; if it is the new one, the row is
   * updated to match, because the old content is lost. Nobody gains access by this.
   */
  private async undo({ existed, plan, resource }: ShareIntent): Promise<void> {
    const { gateway, records } = this.options;
    if (!existed) {
      await gateway.remove(resource);
      return;
    }
    const row = await records.shares.findByResource(resource);
    const digest = await this.digestIn(resource);
    const change = decodeChange(plan);
    if (!row || digest === row.digest) {
      return;
    }
    if (digest === change.share.digest) {
      await this.follow(row, change);
    } else if (digest === undefined) {
      await noteAbsence(records, resource, false, this.options.now());
    } else {
      const now = this.options.now();
      await markInvalid(records, row, { at: now, reason: 'altered' }, now);
    }
  }

  private async follow(row: Share, change: ShareChange): Promise<void> {
    await this.options.records.transaction(async(stores): Promise<void> => {
      const share = { ...change.share, grantId: row.grantId };
      await applyChange(stores, { ...change, share, grant: undefined, outcome: 'replaced' }, this.options.now());
    });
  }

  private async digestIn(resource: ResourceUri): Promise<string | undefined> {
    const found = await this.options.gateway.findBytes(resource, maxCredentialBytes);
    return found && digestOf(found.bytes);
  }
}

/**
 * @throws AccessForbidden when the citizen's pod is being deleted. A deletion cannot begin before the transaction ends.
 */
export async function assertActive({ citizens }: SharingStores, citizenId: string): Promise<void> {
  if (!await citizens.lockIfActive(citizenId)) {
    throw new AccessForbidden('The pod is being deleted.');
  }
}

/**
 * Deletes intents, if they are unchanged since they were announced or found: only one of several processes that finish
 * or abandon a share succeeds.
 *
 * @throws IntentsTaken when another process took them first.
 */
export async function takeIntents({ shares }: SharingStores, intents: ShareIntent[]): Promise<void> {
  for (const { digest, id } of intents) {
    if (!await shares.takeIntent(id, digest)) {
      throw new IntentsTaken();
    }
  }
}

/** A share and its recovery ran at the same time: only one of them continues. */
class IntentsTaken extends Unavailable {
  public constructor() {
    super('The same values were shared elsewhere at the same time.');
    this.name = 'IntentsTaken';
  }
}
