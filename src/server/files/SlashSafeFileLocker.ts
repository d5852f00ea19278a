import { FileSystemResourceLocker } from '@solid/community-server';
import type { ResourceIdentifier } from '@solid/community-server';
import { codeOf } from '../../platform/errors';
import { opened } from '../../platform/opened';

/** An attempt to take or release a lock: true when it has succeeded, undefined when it is to be repeated. */
type Attempt = () => Promise<true | undefined>;

/** Member of the server's locker that is missing in its type. */
interface Attempting {
  swallowErrors: (work: () => Promise<unknown>) => Attempt;
}

/** Errors after which no attempt is repeated: the lock is not held, or the disk takes none. */
const final = new Set([ 'ENOTACQUIRED', 'ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EACCES', 'EPERM' ]);

/**
 * The server's locks on disk, distinguished in memory as well. The library beneath identifies them by resolved file
 * path, which is the same for `x` and `x/`: releasing one lock removes the other, whose next refresh ends the process.
 *
 * Where the disk takes no locks, they are refused at once. The server would repeat its attempts without end, and
 * requests would wait for them.
 */
export class SlashSafeFileLocker extends FileSystemResourceLocker {
  public override async acquire(identifier: ResourceIdentifier): Promise<void> {
    opened<Attempting>(this).swallowErrors = repeatedly;
    await super.acquire(withoutSlashes(identifier));
  }

  public override async release(identifier: ResourceIdentifier): Promise<void> {
    await super.release(withoutSlashes(identifier));
  }
}

function repeatedly(work: () => Promise<unknown>): Attempt {
  return async(): Promise<true | undefined> => {
    try {
      await work();
      return true;
    } catch (error: unknown) {
      if (final.has(codeOf(error))) {
        throw error;
      }
      return undefined;
    }
  };
}

function withoutSlashes({ path }: ResourceIdentifier): ResourceIdentifier {
  return { path: encodeURIComponent(path) };
}
