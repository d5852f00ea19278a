import type { KeyValueStorage } from '@solid/community-server';
import { isRecord } from '../../platform/isRecord';
import { SealedStorage } from '../../server/sealing/SealedStorage';
import type { SecretSource } from '../../server/sealing/SealSource';
import type { PodRoom } from '../../storage/openRecords';
import { IndexedFileMapper } from '../../server/files/IndexedFileMapper';
import { internalFolder } from '../../server/files/internalFolder';
import { PostgresKeyValueStorage } from '../../server/rows/PostgresKeyValueStorage';
import { ValueFiles } from '../../server/files/ValueFiles';

/** An account of the server, without its credentials. */
export interface ListedAccount {
  account: string;
  /** Kind of each log-in, such as `password`. */
  logins: string[];
  webIds: string[];
  pods: string[];
}

const area = '/accounts/data/';
/** Placeholder: values are in the same files for any base URL. */
const anyBase = 'http://localhost/';
/** Types of log-ins, of the server and of this package. */
const logins = [ 'password', 'citizen' ];

/**
 * Reads the accounts of the server.
 *
 * @param place - Root folder of the pods, or their room in the database.
 * @param secrets - Secrets that unseal the accounts.
 */
export async function* listAccounts(place: PodRoom | string, secrets: SecretSource): AsyncIterable<ListedAccount> {
  const accounts = new SealedStorage(valuesIn(place), area, { secrets: async(): Promise<SecretSource> => secrets });
  for await (const [ account, value ] of accounts.entries()) {
    yield {
      account,
      logins: logins.flatMap((type): string[] => childrenOf(value, type).map((): string => type)),
      webIds: childrenOf(value, 'webIdLink').map(({ webId }): string => String(webId)),
      pods: childrenOf(value, 'pod').map(({ baseUrl }): string => String(baseUrl)),
    };
  }
}

function valuesIn(place: PodRoom | string): KeyValueStorage<string, unknown> {
  return typeof place === 'string' ?
      new ValueFiles({
        mapper: new IndexedFileMapper(anyBase, place),
        rootFilePath: place,
        baseUrl: anyBase,
        container: `${internalFolder}${area.slice(1)}`,
      }) :
      new PostgresKeyValueStorage({ pods: async(): Promise<PodRoom> => place }, area);
}

/** Returns the parts of one type that the server stores with an account. */
function childrenOf(account: unknown, type: string): Record<string, unknown>[] {
  const children = isRecord(account) ? account[`**${type}**`] : undefined;
  return isRecord(children) ? Object.values(children).filter(isRecord) : [];
}
