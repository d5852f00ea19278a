import type { ETagHandler } from '@solid/community-server';
import type { PodResource } from '../../pods/PodGateway';
import { contentTypeOf } from '../../server/files/contentTypeOf';
import type { PodShortcut } from './PodShortcut';
import type { PostgresDataAccessor } from './PostgresDataAccessor';

/**
 * Resources of pods, read from their rows: one look-up where the server's store takes a lock on another machine and
 * two look-ups. Large documents are left to the store.
 */
export class PodRows implements PodShortcut {
  private readonly accessor: PostgresDataAccessor;
  private readonly eTagHandler: ETagHandler;

  /**
   * @param accessor - The server's storage of resources.
   * @param eTagHandler - Makes entity tags.
   */
  public constructor(accessor: PostgresDataAccessor, eTagHandler: ETagHandler) {
    this.accessor = accessor;
    this.eTagHandler = eTagHandler;
  }

  public async find(uri: string): Promise<PodResource | undefined> {
    const found = await this.accessor.findWhole({ path: uri });
    return found && {
      contentType: contentTypeOf(found.metadata),
      etag: this.eTagHandler.getETag(found.metadata) ?? '',
      modified: found.modified,
      size: found.body.length,
      body: found.body,
    };
  }
}
