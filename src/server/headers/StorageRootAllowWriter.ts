import { MetadataWriter } from '@solid/community-server';
import type {
  AuxiliaryStrategy,
  HttpResponse,
  RepresentationMetadata,
  StorageLocationStrategy,
} from '@solid/community-server';
import { isAccessDocument } from '../access/isAccessDocument';
import { isPlaceOfStorage } from '../access/isPlaceOfStorage';
import { targetOf } from './targetOf';

/**
 * Leaves DELETE out of the `Allow` header of the access rules of a storage's root, which cannot be removed. A root is
 * told by its path: a container of the operator's at such a path loses it, too.
 *
 * @see [Solid Protocol, section 5.4](https://solidproject.org/TR/protocol#deleting-resources)
 */
export class StorageRootAllowWriter extends MetadataWriter {
  private readonly source: MetadataWriter;
  private readonly auxiliaryStrategy: AuxiliaryStrategy;
  private readonly storageStrategy: StorageLocationStrategy;

  /**
   * @param source - Writes the header.
   * @param auxiliaryStrategy - Names what access rules are about.
   * @param storageStrategy - Names the storage of a resource.
   */
  public constructor(
    source: MetadataWriter,
    auxiliaryStrategy: AuxiliaryStrategy,
    storageStrategy: StorageLocationStrategy,
  ) {
    super();
    this.source = source;
    this.auxiliaryStrategy = auxiliaryStrategy;
    this.storageStrategy = storageStrategy;
  }

  public async handle(input: { response: HttpResponse; metadata: RepresentationMetadata }): Promise<void> {
    await this.source.handleSafe(input);
    const { metadata, response } = input;
    const path = targetOf(metadata);
    const allowed = response.getHeader('allow');
    if (typeof allowed === 'string' && await this.isOfRoot(path)) {
      response.setHeader('Allow', allowed.split(', ').filter((method): boolean => method !== 'DELETE').join(', '));
    }
  }

  private async isOfRoot(path: string): Promise<boolean> {
    // With WAC, names of ACP mean nothing, and the other way round.
    return isAccessDocument({ path }) && this.auxiliaryStrategy.isAuxiliaryIdentifier({ path }) &&
      isPlaceOfStorage(this.auxiliaryStrategy.getSubjectIdentifier({ path }), this.storageStrategy);
  }
}
