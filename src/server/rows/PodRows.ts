import type { ETagHandler } from '@solid/community-server';
import type { PodResource } from '../../platform/PodResource';
import { BoundedMap } from '../../platform/BoundedMap';
import { contentTypeOf } from '../files/contentTypeOf';
import type { PodShortcut } from '../PodShortcut';
import type { PostgresDataAccessor, WholeDocument } from './PostgresDataAccessor';

/** Properties of one version of a document, derived from its row: deriving them takes longer than reading the row. */
interface Described extends Pick<PodResource, 'contentType' | 'etag'> {
  row: Omit<WholeDocument, 'body'>;
}

const maxDescribed = 10_000;
/** Longer descriptions are not cached. */
const maxDescription = 1000;

/**
 * Resources of pods, read from their rows: one look-up where the server's store takes a lock on another machine and
 * two look-ups. Large documents are left to the store.
 */
export class PodRows implements PodShortcut {
  private readonly accessor: PostgresDataAccessor;
  private readonly eTagHandler: ETagHandler;
  private readonly described = new BoundedMap<string, Described>(maxDescribed);

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
    if (!found) {
      return undefined;
    }
    const { contentType, etag } = this.describe(uri, found);
    return { contentType, etag, modified: found.modified, size: found.body.length, body: found.body };
  }

  private describe(uri: string, { body, ...row }: WholeDocument): Described {
    const known = this.described.get(uri);
    if (known && isSame(known.row, row)) {
      return known;
    }
    const metadata = this.accessor.describeWhole({ path: uri }, row);
    const described = { row, contentType: contentTypeOf(metadata), etag: this.eTagHandler.getETag(metadata) ?? '' };
    if (row.metadata.length <= maxDescription) {
      this.described.set(uri, described);
    }
    return described;
  }
}

function isSame(one: Described['row'], other: Described['row']): boolean {
  return one.modified.getTime() === other.modified.getTime() && one.contentType === other.contentType &&
    one.metadata === other.metadata;
}
