import { joinUrl } from '@solid/community-server';
import type { ExpiringReadWriteLocker } from '@solid/community-server';
import { KeyedMutex } from '../../platform/KeyedMutex';
import type { Mutex } from '../../platform/KeyedMutex';

/** The server releases a lock that was not renewed for 6 seconds. */
const renewalMs = 2000;

/** Serialises work with the same key in all processes and nodes that share the locks. */
export class SharedMutex implements Mutex {
  private readonly local = new KeyedMutex();

  public constructor(
    private readonly locker: ExpiringReadWriteLocker,
    private readonly baseUrl: string,
  ) {}

  public async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    // Locally first, so that few processes wait for the shared lock.
    return this.local.run(key, async(): Promise<T> => this.runAlone(key, work));
  }

  /** Uses a name outside all pods, because the lock is not for a resource. */
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
