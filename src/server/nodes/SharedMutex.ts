import { joinUrl } from '@solid/community-server';
import type { ExpiringReadWriteLocker } from '@solid/community-server';
import { KeyedMutex } from '../../platform/KeyedMutex';
import type { Mutex } from '../../platform/KeyedMutex';

/** A lock of the server's is given up by it when it was not renewed for 6 seconds. */
const renewalMs = 2000;

/** Lets work with the same key run one after the other in all processes and nodes that have the same locks. */
export class SharedMutex implements Mutex {
  private readonly local = new KeyedMutex();

  public constructor(
    private readonly locker: ExpiringReadWriteLocker,
    private readonly baseUrl: string,
  ) {}

  public async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    // First here, so that few wait there.
    return this.local.run(key, async(): Promise<T> => this.runAlone(key, work));
  }

  /** The name is in no pod: what is locked is no resource. */
  private async runAlone<T>(key: string, work: () => Promise<T>): Promise<T> {
    const identifier = { path: joinUrl(this.baseUrl, '.access/work/', encodeURIComponent(key)) };
    return this.locker.withWriteLock(identifier, async(renew): Promise<T> => {
      const timer = setInterval(renew, renewalMs);
      try {
        return await work();
      } finally {
        clearInterval(timer);
      }
    });
  }
}
