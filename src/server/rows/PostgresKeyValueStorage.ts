import type { KeyValueStorage } from '@solid/community-server';
import type { FolderStorage } from '../holders/FolderStorage';
import type { Texts } from '../values/ValueChange';
import { throughChange } from '../values/ValueChange';
import { parseOwn } from '../../platform/ownJson';
import type { PodDatabase, ValueRows } from './PodDatabase';

/**
 * The server's own values, such as accounts, sessions and notification channels, in the PostgreSQL database of the
 * records: nothing is cached in the process.
 */
export class PostgresKeyValueStorage implements KeyValueStorage<string, unknown>, FolderStorage {
  private readonly records: PodDatabase;
  private readonly prefix: string;

  /**
   * @param records - Records of this package, on PostgreSQL.
   * @param container - Path prefix of all keys.
   */
  public constructor(records: PodDatabase, container: string) {
    this.records = records;
    this.prefix = `${container}/`.replaceAll(/^\/+|(?<=\/)\/+$/gu, '');
  }

  public async get(key: string): Promise<unknown> {
    const text = await (await this.texts()).get(this.stored(key));
    return text === undefined ? undefined : parseOwn<unknown>(text);
  }

  public async has(key: string): Promise<boolean> {
    return await (await this.texts()).get(this.stored(key)) !== undefined;
  }

  public async set(key: string, value: unknown): Promise<this> {
    await (await this.texts()).set(this.stored(key), JSON.stringify(value));
    return this;
  }

  public async delete(key: string): Promise<boolean> {
    return (await this.texts()).delete(this.stored(key));
  }

  public async* entries(): AsyncIterableIterator<[string, unknown]> {
    for await (const [ key, text ] of (await this.values()).entries(this.prefix)) {
      yield [ key.slice(this.prefix.length), parseOwn<unknown>(text) ];
    }
  }

  public below(folder: string): PostgresKeyValueStorage {
    return new PostgresKeyValueStorage(this.records, `${this.prefix}${folder}`);
  }

  public async* folders(): AsyncIterableIterator<string> {
    let last = '';
    for await (const [ key ] of this.entries()) {
      const [ folder ] = key.split('/', 1);
      if (folder !== last) {
        last = folder;
        yield folder;
      }
    }
  }

  public async removeFolder(): Promise<void> {
    // Nothing to do: only folders with values exist.
  }

  private async texts(): Promise<Texts> {
    return throughChange(await this.values());
  }

  private async values(): Promise<ValueRows> {
    return (await this.records.pods()).values;
  }

  /** Returns the stored key: a leading slash makes no difference, as in the server's own storages. */
  private stored(key: string): string {
    return `${this.prefix}${key.replace(/^\/+/u, '')}`;
  }
}
