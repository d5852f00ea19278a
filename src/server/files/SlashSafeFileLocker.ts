import { FileSystemResourceLocker } from '@solid/community-server';
import type { ResourceIdentifier } from '@solid/community-server';

/**
 * The server's locks on disk, distinguished in memory as well. The library beneath identifies them by resolved file
 * path, for which `x` and `x/` are one: releasing the lock of one removes the other's, and its next refresh ends the
 * process.
 */
export class SlashSafeFileLocker extends FileSystemResourceLocker {
  public override async acquire(identifier: ResourceIdentifier): Promise<void> {
    await super.acquire(withoutSlashes(identifier));
  }

  public override async release(identifier: ResourceIdentifier): Promise<void> {
    await super.release(withoutSlashes(identifier));
  }
}

function withoutSlashes({ path }: ResourceIdentifier): ResourceIdentifier {
  return { path: encodeURIComponent(path) };
}
