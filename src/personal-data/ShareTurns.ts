import type { Citizen, CitizenStore } from '../identity/CitizenStore';
import type { Mutex } from '../platform/KeyedMutex';
import { AccessForbidden } from '../problems';
import type { ShareRecovery } from './ShareRecovery';

/** Dependencies of {@link ShareTurns}. */
export interface ShareTurnsOptions {
  citizens: Pick<CitizenStore, 'findById'>;
  /** Serialises work on one citizen's pod, by citizen id. */
  mutex: Mutex;
  recovery: Pick<ShareRecovery, 'recover'>;
}

/** Runs work on a citizen's shares, one piece at a time. */
export class ShareTurns {
  public constructor(private readonly options: ShareTurnsOptions) {}

  /**
   * Runs work while nothing else changes the citizen's pod, after finishing or undoing interrupted shares there.
   *
   * @throws AccessForbidden when the pod was deleted while this call waited.
   */
  public async run<T>({ id }: Citizen, work: () => Promise<T>): Promise<T> {
    const { citizens, mutex, recovery } = this.options;
    return mutex.run(id, async(): Promise<T> => {
      const citizen = await citizens.findById(id);
      if (citizen?.state !== 'ACTIVE') {
        throw new AccessForbidden('The pod is being deleted.');
      }
      await recovery.recover(id);
      return work();
    });
  }
}
