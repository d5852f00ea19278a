import { EqualReadWriteLocker, MaxKeyLengthStorage, MemoryResourceLocker } from '@solid/community-server';
import type { KeyValueStorage } from '@solid/community-server';
import { IndexedFileMapper } from '../../../../src/server/files/IndexedFileMapper';
import { ValueFiles } from '../../../../src/server/files/ValueFiles';
import type { FolderStorage } from '../../../../src/server/holders/FolderStorage';
import type { SealSource } from '../../../../src/server/sealing/SealSource';
import { ValueSeals } from '../../../../src/storage/keys/ValueSeals';
import { DataSharingRecords } from '../../../../src/wiring/DataSharingRecords';
import { PostgresKeyValueStorage } from '../../../../src/server/rows/PostgresKeyValueStorage';
import { databaseUrl } from '../../../support/postgres';
import { isOnPostgres } from '../../../support/storage';
import { removeFolder, temporaryFolder } from '../../../support/world';
import { postgresPlace } from '../../storage/places';

/** Values of the server. */
export type Values = KeyValueStorage<string, unknown>;
/** The server's values on one storage. */
export interface Store {
  values: Values;
  /** Values below a path. */
  at: (path: string) => FolderStorage & Values;
  remove: () => Promise<void>;
}

async function openFiles(): Promise<Store> {
  const root = await temporaryFolder();
  const baseUrl = 'https://pod.example/';
  const locker = new EqualReadWriteLocker(new MemoryResourceLocker());
  function at(container: string): ValueFiles {
    const mapper = new IndexedFileMapper(baseUrl, root);
    return new ValueFiles({ mapper, rootFilePath: root, baseUrl, container, locker });
  }
  return {
    values: new MaxKeyLengthStorage(at('/.internal/') as never),
    at: (path): ValueFiles => at(`/.internal${path}`),
    remove: async(): Promise<void> => removeFolder(root),
  };
}

async function openPostgres(): Promise<Store> {
  const place = await postgresPlace(databaseUrl!);
  const records = new DataSharingRecords({ baseUrl: 'http://localhost/', records: place.records, keys: place.keys, workers: 1 });
  return {
    values: new PostgresKeyValueStorage(records, '/'),
    at: (path): PostgresKeyValueStorage => new PostgresKeyValueStorage(records, path),
    async remove(): Promise<void> {
      await records.finalize();
      await place.remove();
    },
  };
}

/** Counts the values that are read, in any way. */
export function counted<T extends object>(storage: T, count: () => void): T {
  return new Proxy(storage, {
    get(target, name): unknown {
      const member = Reflect.get(target, name) as unknown;
      if (typeof member !== 'function') {
        return member;
      }
      const call = member.bind(target) as (...args: unknown[]) => unknown;
      switch (name) {
        case 'below': return (...args: unknown[]): unknown => counted(call(...args) as object, count);
        case 'entries':
        case 'folders': return async function* each(): AsyncIterableIterator<unknown> {
          for await (const entry of call() as AsyncIterable<unknown>) {
            count();
            yield entry;
          }
        };
        case 'get':
        case 'has': return (...args: unknown[]): unknown => {
          count();
          return call(...args);
        };
        default: return call;
      }
    },
  });
}

/** A fixed secret for values. */
export const seals: SealSource = {
  secrets: async(): Promise<never> => ({
    valueSeals: async(): Promise<ValueSeals> => new ValueSeals(Buffer.alloc(32, 1)),
  }) as never,
};

/** Storages for the suites: files or, in `npm run test:postgres`, PostgreSQL. */
export const stores: [string, () => Promise<Store>][] = [
  isOnPostgres ? [ 'PostgreSQL', openPostgres ] : [ 'files', openFiles ],
];
