import { ContainerPathStorage } from '@solid/community-server';
import type { KeyValueStorage } from '@solid/community-server';
import { isRecord } from '../../platform/isRecord';
import type { FolderStorage } from '../holders/FolderStorage';

/**
 * Values whose keys begin with a path. Listing them reads no others, unlike the server's own storage of this kind: a
 * sweep for expired log-ins would read all accounts.
 */
export class AreaStorage extends ContainerPathStorage<unknown> {
  private readonly folders: FolderStorage;
  private readonly folder: string;

  /**
   * @param source - Storage of all values.
   * @param folders - The same values, by folder.
   * @param relativePath - Path with which the keys begin.
   */
  public constructor(source: KeyValueStorage<string, unknown>, folders: FolderStorage, relativePath: string) {
    super(source, relativePath);
    this.folders = folders;
    this.folder = this.basePath.slice(0, -1);
  }

  public override async* entries(): AsyncIterableIterator<[string, unknown]> {
    for await (const [ key, value ] of this.folders.below(this.folder).entries()) {
      yield this.unwrapped(value) ?? [ key, value ];
    }
  }

  /** Reads a value from the wrapping that the server adds to values whose keys may be long. */
  private unwrapped(value: unknown): [string, unknown] | undefined {
    const { key, payload } = isRecord(value) ? value : {};
    return typeof key === 'string' && key.startsWith(this.basePath) ? [ this.toOriginalKey(key), payload ] : undefined;
  }
}
