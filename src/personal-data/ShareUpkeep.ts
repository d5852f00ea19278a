import type { Citizen } from '../identity/CitizenStore';
import type { Mutex } from '../platform/KeyedMutex';
import type { ResourceUri } from '../pods/resourceUri';
import type { ResourceWatch } from './ResourceWatch';
import type { ShareRecovery } from './ShareRecovery';
import type { ShareStore } from './ShareStore';
import type { Mended, ShareSweep } from './ShareSweep';
import type { ShareTurns } from './ShareTurns';

/** Dependencies of {@link ShareUpkeep}. */
export interface ShareUpkeepOptions {
  shares: Pick<ShareStore, 'findByResource'>;
  /** The mutex of the turns. */
  mutex: Mutex;
  turns: Pick<ShareTurns, 'run'>;
  recovery: Pick<ShareRecovery, 'listInterrupted' | 'recover'>;
  watch: Pick<ResourceWatch, 'noteChange'>;
  sweep: Pick<ShareSweep, 'findSuspects' | 'mend'>;
}

/** Keeps the records of shares consistent with the pods, after crashes, changes in a pod or anything else. */
export class ShareUpkeep {
  public constructor(private readonly options: ShareUpkeepOptions) {}

  /** Finishes or undoes shares that a crash interrupted, here or on another node. Leaves shares in progress alone. */
  public async recover(): Promise<void> {
    const { mutex, recovery } = this.options;
    for (const citizenId of await recovery.listInterrupted()) {
      await mutex.run(citizenId, async(): Promise<void> => recovery.recover(citizenId));
    }
  }

  /**
   * Handles a change of a resource in a pod: marks shared data that is gone or altered, or clears the mark when a
   * missing resource is back.
   */
  public async onResourceChanged(uri: ResourceUri): Promise<void> {
    const { mutex, shares, watch } = this.options;
    const share = await shares.findByResource(uri);
    if (share) {
      await mutex.run(share.citizenId, async(): Promise<void> => watch.noteChange(uri));
    }
  }

  /**
   * Compares the shared data in a citizen's pod with the records, and repairs differences. Waits for shares in
   * progress, and first finishes or undoes interrupted ones.
   */
  public async sweep(citizen: Citizen): Promise<Mended> {
    const { sweep, turns } = this.options;
    const suspects = await sweep.findSuspects(citizen);
    return suspects.length === 0 ?
        { removed: 0, marked: 0 } :
        turns.run(citizen, async(): Promise<Mended> => sweep.mend(citizen, suspects));
  }
}
