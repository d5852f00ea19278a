import { ContainerPathStorage } from '@solid/community-server';
import type { FileIdentifierMapper, KeyValueStorage, ReadWriteLocker, ResourceStore } from '@solid/community-server';
import type { FolderStorage } from '../holders/FolderStorage';
import type { AtomicWritesDataAccessor } from './AtomicWritesDataAccessor';
import { ValueFiles } from './ValueFiles';

/** Options of {@link FileValueStorage}. */
export interface FileValueStorageArgs {
  /** The server's own storage of its values, used if not all resources are files. */
  source: KeyValueStorage<string, unknown>;
  /** Maps the key of a value to its file. */
  mapper: FileIdentifierMapper;
  /** Files of resources. */
  accessor: AtomicWritesDataAccessor;
  /** The server's store at the bottom of the stack. */
  backend: ResourceStore;
  /** Root of the pods and of the server's values. */
  rootFilePath: string;
  /** Base URL of the server. */
  baseUrl: string;
  /** Container of the values: its path on the server. */
  container: string;
  /** Locks of all processes that use the values. */
  locker?: ReadWriteLocker;
}

/**
 * The server's own values, such as accounts, sessions and grants of its identity provider, in the same files as the
 * server uses, but without the locks, conversions and change events of its resource store.
 *
 * Used only if all resources are files; otherwise the server's own storage is used.
 */
export class FileValueStorage implements KeyValueStorage<string, unknown>, FolderStorage {
  private readonly values: KeyValueStorage<string, unknown>;
  private readonly files?: ValueFiles;

  public constructor(args: FileValueStorageArgs) {
    this.files = args.accessor.isOf(args.backend) ? new ValueFiles(args) : undefined;
    this.values = this.files ?? args.source;
  }

  public async get(key: string): Promise<unknown> {
    return this.values.get(key);
  }

  public async has(key: string): Promise<boolean> {
    return this.values.has(key);
  }

  public async set(key: string, value: unknown): Promise<this> {
    await this.values.set(key, value);
    return this;
  }

  public async delete(key: string): Promise<boolean> {
    return this.values.delete(key);
  }

  public entries(): AsyncIterableIterator<[ string, unknown ]> {
    return this.values.entries();
  }

  public below(folder: string): KeyValueStorage<string, unknown> {
    return this.files ? this.files.below(folder) : new ContainerPathStorage(this.values, folder);
  }

  public folders(): AsyncIterable<string> {
    return this.files ? this.files.folders() : foldersOf(this.values);
  }

  public async removeFolder(folder: string): Promise<void> {
    await this.files?.removeFolder(folder);
  }
}

async function* foldersOf(values: KeyValueStorage<string, unknown>): AsyncIterableIterator<string> {
  const folders = new Set<string>();
  for await (const [ key ] of values.entries()) {
    folders.add(key.split('/', 1)[0]);
  }
  yield* folders;
}
