import type { FileIdentifierMapper, KeyValueStorage, ResourceStore } from '@solid/community-server';
import type { AtomicWritesDataAccessor } from './AtomicWritesDataAccessor';
import { ValueFiles } from './ValueFiles';

/** Options of {@link FileValueStorage}. */
export interface FileValueStorageArgs {
  /** The server's own way to its values, for a server whose resources are not all files. */
  source: KeyValueStorage<string, unknown>;
  /** Tells in which file the server keeps a value. */
  mapper: FileIdentifierMapper;
  /** Files of resources. */
  accessor: AtomicWritesDataAccessor;
  /** Where the server's resources end up. */
  backend: ResourceStore;
  /** Root of the pods, which the server's values are below. */
  rootFilePath: string;
  /** Base URL of the server. */
  baseUrl: string;
  /** Container of the values: its path on the server. */
  container: string;
}

/**
 * The server's own values, such as accounts, sessions and grants of its identity provider: in the very files in which
 * the server keeps them, without the way through locks, conversions and change events of its resource store.
 *
 * Only where all resources are files: elsewhere the server's own way is left as it is.
 */
export class FileValueStorage implements KeyValueStorage<string, unknown> {
  private readonly values: KeyValueStorage<string, unknown>;

  public constructor(args: FileValueStorageArgs) {
    this.values = args.accessor.isOf(args.backend) ? new ValueFiles(args) : args.source;
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
}
