import {
  AccessMode,
  IdentifierSetMultiMap,
  NotFoundHttpError,
  PermissionReader,
  PIM,
  RDF,
} from '@solid/community-server';
import type {
  Credentials,
  PermissionMap,
  PermissionReaderInput,
  ResourceIdentifier,
  ResourceStore,
  StorageLocationStrategy,
} from '@solid/community-server';
import { isPlaceOfStorage } from './isPlaceOfStorage';

/**
 * Lets those who may write the root container of a storage ask for its removal, which the store refuses with 405. The
 * container around it, which few may write, would refuse with 403.
 *
 * @see [Solid Protocol, section 5.4](https://solidproject.org/TR/protocol#deleting-resources)
 */
export class StorageRootReader extends PermissionReader {
  private readonly reader: PermissionReader;
  private readonly storageStrategy: StorageLocationStrategy;
  private readonly store: ResourceStore;

  /**
   * @param reader - Reads permissions, and what the container around a resource has to allow.
   * @param storageStrategy - Names the storage of a resource.
   * @param store - Knows which containers are storages, and does not remove them.
   */
  public constructor(reader: PermissionReader, storageStrategy: StorageLocationStrategy, store: ResourceStore) {
    super();
    this.reader = reader;
    this.storageStrategy = storageStrategy;
    this.store = store;
  }

  public async handle({ credentials, requestedModes }: PermissionReaderInput): Promise<PermissionMap> {
    const asked = new IdentifierSetMultiMap<AccessMode>(requestedModes);
    const places: ResourceIdentifier[] = [];
    for (const [ identifier, modes ] of requestedModes.entrySets()) {
      if (modes.has(AccessMode.delete) && await isPlaceOfStorage(identifier, this.storageStrategy)) {
        places.push(identifier);
        asked.deleteEntry(identifier, AccessMode.delete);
        asked.add(identifier, AccessMode.write);
      }
    }
    const permissions = await this.reader.handleSafe({ credentials, requestedModes: asked });
    for (const identifier of places) {
      const found = permissions.get(identifier);
      // Only for those who may write it, because a look at a container with many members is expensive.
      if (found?.write) {
        permissions.set(identifier, await this.isStorage(identifier) ?
            { ...found, delete: true } :
            { ...found, delete: await this.mayDelete(credentials, identifier) });
      }
    }
    return permissions;
  }

  private async mayDelete(credentials: Credentials, identifier: ResourceIdentifier): Promise<boolean | undefined> {
    const requestedModes = new IdentifierSetMultiMap<AccessMode>([[ identifier, AccessMode.delete ]]);
    return (await this.reader.handleSafe({ credentials, requestedModes })).get(identifier)?.delete;
  }

  private async isStorage(identifier: ResourceIdentifier): Promise<boolean> {
    try {
      const { data, metadata } = await this.store.getRepresentation(identifier, {});
      data.destroy();
      return metadata.has(RDF.terms.type, PIM.terms.Storage);
    } catch (error: unknown) {
      if (NotFoundHttpError.isInstance(error)) {
        return false;
      }
      throw error;
    }
  }
}
