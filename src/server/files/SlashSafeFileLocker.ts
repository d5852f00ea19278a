import { FileSystemResourceLocker } from '@solid/community-server';
import type { ResourceIdentifier } from '@solid/community-server';

/**
 * The server's locks on disk, told apart in memory as well. The library below keeps them there by resolved file path,
 * to which `x` and `x/` are one: releasing the lock of one takes the other's away, and its next refreshment brings the
 * process down.
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
