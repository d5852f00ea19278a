import type { Dirent } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { OpenRecords } from '../../src/storage/openRecords';
import type { RunSql } from './recordsSql';

/** An account of the server. */
export interface Account {
  id: string;
  webIds: string[];
  pods: string[];
  logins: number;
}

/** Contents of a server's storage beside the records. */
export interface ServerState {
  /** By URI: reads the bytes. */
  documents: Map<string, () => Promise<Buffer>>;
  /** URIs. */
  containers: Set<string>;
  accounts: Account[];
  /** Locks that are never released, and drafts that are never moved into place. */
  leftOver: string[];
}

/** An account as the server writes it, with its parts by type and id. */
interface StoredAccount {
  id: string;
  linkedLoginsCount: number;
  '**webIdLink**'?: Record<string, { webId: string }>;
  '**pod**'?: Record<string, { baseUrl: string }>;
}

/** Documents and containers of pods. */
export type ServerTree = Pick<ServerState, 'containers' | 'documents'>;

/**
 * Reads the state of a server whose pods are files.
 *
 * @param base - Base URL of the server, with a trailing slash.
 * @param root - `--rootFilePath`.
 * @param open - Its records.
 */
export async function stateInFiles(base: string, root: string, open: OpenRecords): Promise<ServerState> {
  const accounts = await readAccounts(root, open);
  return { ...await treeInFiles(base, root), accounts, leftOver: await readLeftOver(root) };
}

/**
 * Reads the state of a server that stores everything in PostgreSQL.
 *
 * @param base - Base URL of the server, with a trailing slash.
 * @param sql - Statements on its database.
 * @param open - Its records.
 */
export async function stateInRows(base: string, sql: RunSql, open: OpenRecords): Promise<ServerState> {
  const accounts = await sql(`select key, value from key_values where key like 'accounts/data/%'`);
  const lost = await sql(`select distinct version from pod_chunks
    where version not in (select version from pod_resources where version is not null)`);
  return {
    ...await treeInRows(base, sql),
    accounts: await Promise.all(accounts.map(async({ key, value }): Promise<Account> =>
      openAccount(open, String(key).split('/').at(-1)!, (JSON.parse(String(value)) as { sealed: string }).sealed))),
    leftOver: lost.map(({ version }): string => `chunks of ${String(version)}`),
  };
}

/**
 * Reads the pods of a server that stores them in PostgreSQL.
 *
 * @param base - Base URL of the server, with a trailing slash.
 * @param sql - Statements on its database.
 */
export async function treeInRows(base: string, sql: RunSql): Promise<ServerTree> {
  const paths = (await sql('select path from pod_resources')).map(({ path }): string => String(path));
  const documents = paths.filter((path): boolean => !path.endsWith('/'));
  return {
    documents: new Map(documents.map((path): [string, () => Promise<Buffer>] =>
      [ uriOf(base, path), async(): Promise<Buffer> => readRow(sql, path) ])),
    containers: new Set(paths.filter((path): boolean => path.endsWith('/'))
      .map((path): string => uriOf(base, path))),
  };
}

function uriOf(base: string, path: string): string {
  return `${base}${path.slice(1)}`;
}

/** Reads a document that is short enough for one row. */
async function readRow(sql: RunSql, path: string): Promise<Buffer> {
  const [{ body }] = await sql(`select body from pod_resources where path = '${path}'`);
  return body as Buffer;
}

/**
 * Reads the pods of a server that stores them as files.
 *
 * @param base - Base URL of the server, with a trailing slash.
 * @param root - `--rootFilePath`.
 */
export async function treeInFiles(base: string, root: string): Promise<ServerTree> {
  const containers = new Set<string>();
  const documents = new Map<string, () => Promise<Buffer>>();
  // The server's own locks come and go meanwhile.
  const top = (await readdir(root, { withFileTypes: true })).filter(({ name }): boolean => name !== '.internal');
  const folders = top.filter((entry): boolean => entry.isDirectory());
  const below = await Promise.all(folders.map(async({ name }): Promise<Dirent[]> =>
    readdir(join(root, name), { recursive: true, withFileTypes: true })));
  for (const entry of [ ...top, ...below.flat() ]) {
    const file = join(entry.parentPath, entry.name);
    const path = relative(root, file).replaceAll('\\', '/');
    if (entry.isDirectory()) {
      containers.add(`${base}${path}/`);
    } else {
      const uri = `${base}${path.replace(/\$\.[^/.]+$/u, '')}`;
      documents.set(uri, async(): Promise<Buffer> => readFile(file));
    }
  }
  return { containers, documents };
}

/** Locks that are never released, and drafts that are never moved into place: work in progress does both soon. */
async function readLeftOver(root: string): Promise<string[]> {
  let left = await readPassing(root);
  for (let looks = 0; left.length > 0 && looks < 50; looks += 1) {
    await setTimeout(200);
    const now = new Set(await readPassing(root));
    left = left.filter((file): boolean => now.has(file));
  }
  return left;
}

async function readPassing(root: string): Promise<string[]> {
  const folders = await Promise.all([ 'locks', 'tempFiles' ].map(async(name): Promise<string[]> => {
    const names = await readdir(join(root, '.internal', name)).catch((): string[] => []);
    return names.map((file): string => `${name}/${file}`);
  }));
  return folders.flat();
}

async function readAccounts(root: string, open: OpenRecords): Promise<Account[]> {
  const folder = join(root, '.internal/accounts/data');
  const names = await readdir(folder).catch((): string[] => []);
  return Promise.all(names.map(async(name): Promise<Account> => {
    const { payload } = JSON.parse(await readFile(join(folder, name), 'utf8')) as { payload: { sealed: string }};
    return openAccount(open, name.replace(/\$.*$/u, ''), payload.sealed);
  }));
}

async function openAccount({ serverSecrets }: OpenRecords, name: string, sealed: string): Promise<Account> {
  const seals = await serverSecrets.valueSeals();
  return accountOf(seals.open('/accounts/data/', name, sealed)[1] as StoredAccount);
}

function accountOf(stored: StoredAccount): Account {
  const webIds = Object.values(stored['**webIdLink**'] ?? {}).map(({ webId }): string => webId);
  const pods = Object.values(stored['**pod**'] ?? {}).map(({ baseUrl }): string => baseUrl);
  return { id: stored.id, webIds, pods, logins: stored.linkedLoginsCount };
}
