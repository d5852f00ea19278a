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
  /** The one of the turns. */
  mutex: Mutex;
  turns: Pick<ShareTurns, 'run'>;
  recovery: Pick<ShareRecovery, 'listInterrupted' | 'recover'>;
  watch: Pick<ResourceWatch, 'noteChange'>;
  sweep: Pick<ShareSweep, 'findSuspects' | 'mend'>;
}

/** Keeps what is on record about shares true: after a crash, a change in the pod, or anything else. */
export class ShareUpkeep {
  public constructor(private readonly options: ShareUpkeepOptions) {}

  /** Finishes or undoes what a crash interrupted, here or on another node. What is in progress is left alone. */
  public async recover(): Promise<void> {
    const { mutex, recovery } = this.options;
    for (const citizenId of await recovery.listInterrupted()) {
      await mutex.run(citizenId, async(): Promise<void> => recovery.recover(citizenId));
    }
  }

  /**
   * Takes note that a resource changed in the pod: shared data that is gone or altered is marked so, and the mark of
   * being gone is taken away when it is there again.
   */
  public async onResourceChanged(uri: ResourceUri): Promise<void> {
    const { mutex, shares, watch } = this.options;
    const share = await shares.findByResource(uri);
    if (share) {
      await mutex.run(share.citizenId, async(): Promise<void> => watch.noteChange(uri));
    }
  }

  /**
   * Compares what a citizen's pod has of shared data with what is on record, and mends what only one of them has. What
   * is in progress is waited for, and what was interrupted is finished or undone first.
   */
  public async sweep(citizen: Citizen): Promise<Mended> {
    const { sweep, turns } = this.options;
    const suspects = await sweep.findSuspects(citizen);
    return suspects.length === 0 ?
        { removed: 0, marked: 0 } :
        turns.run(citizen, async(): Promise<Mended> => sweep.mend(citizen, suspects));
  }
}
