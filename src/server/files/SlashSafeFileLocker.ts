import { FileSystemResourceLocker } from '@solid/community-server';
import type { ResourceIdentifier } from '@solid/community-server';

/**
 * The server's locks on disk, distinguished in memory as well. The library beneath identifies them by resolved file
 * path, which is the same for `x` and `x/`: releasing one lock removes the other, whose next refresh ends the process.
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
