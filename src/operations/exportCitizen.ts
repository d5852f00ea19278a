import { constants } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditLog } from '../audit/AuditLog';
import type { DataCopyStore } from '../data-copies/DataCopyStore';
import type { GrantStore } from '../grants/GrantStore';
import type { Clock } from '../platform/clock';
import { codeOf } from '../platform/errors';
import { parseOwn } from '../platform/ownJson';
import type { WebId } from '../platform/webId';
import type { Citizen } from '../identity/CitizenStore';
import type { ShareStore } from '../personal-data/ShareStore';
import { podIdOf } from '../pods/resourceUri';
import { exportAudit } from './AuditExport';

/** One item of the data stored about a citizen. */
export interface ExportedItem {
  kind: 'citizen' | 'file' | 'content' | 'share' | 'grant' | 'copy' | 'audit';
  [member: string]: unknown;
}

/** Number of items of a kind in memory at a time. */
const pageSize = 200;

/** Bytes of a file in one item. A multiple of three, so that the base64 texts of a file can be concatenated. */
const contentBytes = 3 * 256 * 1024;

/** Pods in a database. Paths begin with a slash; paths of containers end with one. */
export interface PodDirectory {
  /** Returns the bytes of a document; `undefined` when it does not exist. */
  open: (path: string) => Promise<AsyncIterable<Buffer> | undefined>;
  listMembers: (container: string) => AsyncIterable<{ path: string; size: number; modified: Date }>;
}

/** Possible places of pods. */
export interface PodPlaces {
  /** Root folder of pods in files. */
  folder: string;
  database?: PodDirectory;
  /** True to include the bytes of files. */
  withContents: boolean;
}

interface Source {
  audit: AuditLog;
  dataCopies: DataCopyStore;
  grants: GrantStore;
  shares: ShareStore;
}

/**
 * Exports all data stored about a citizen except the national number: identity, files of the pod, shares, grants given
 * and received, copies reported by data users, and audit rows.
 *
 * @param records - Read page by page.
 * @param citizen - The citizen.
 * @param pods - Places to look for the pod.
 * @param now - Returns the current time.
 */
export async function* exportCitizen(
  records: Source,
  citizen: Citizen,
  pods: PodPlaces,
  now: Clock,
): AsyncGenerator<ExportedItem> {
  const { id, webId, podUrl, brought, state, createdAt } = citizen;
  const { pathname } = new URL(podUrl);
  const podId = podIdOf(podUrl);
  yield { kind: 'citizen', citizen: id, podId, webId, podUrl, ...brought && { brought }, state, created: createdAt };
  yield* files(join(pods.folder, decodeURIComponent(pathname)), pods.withContents);
  if (pods.database) {
    yield* documents(pods.database, pathname, { rootLength: pathname.length, withContents: pods.withContents });
  }
  yield* shares(records, id);
  yield* grants(records, webId, now());
  yield* copies(records, podUrl);
  for await (const row of exportAudit(records.audit, { withIdentities: true, citizenId: id })) {
    yield { kind: 'audit', ...row };
  }
}

/**
 * Yields nothing when pods are not stored in files. Files that a server removes meanwhile are left out, and so is what
 * no server wrote, such as a named pipe.
 *
 * @throws Error when something cannot be read: an export that is not complete must not look as if it were.
 */
async function* files(folder: string, withContents: boolean, path = ''): AsyncGenerator<ExportedItem> {
  const entries = await readdir(join(folder, path), { withFileTypes: true }).catch(ignoreMissing) ?? [];
  for (const entry of entries) {
    const name = join(path, entry.name);
    if (entry.isDirectory()) {
      yield* files(folder, withContents, name);
    } else {
      yield* file(join(folder, name), name, withContents);
    }
  }
}

async function* file(place: string, path: string, withContents: boolean): AsyncGenerator<ExportedItem> {
  // Does not wait for the writer of a named pipe.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK;
  const state = await stat(place).catch(ignoreMissing);
  const handle = state?.isFile() ? await open(place, flags).catch(ignoreMissing) : undefined;
  if (!handle) {
    return;
  }
  try {
    const { size, mtime } = await handle.stat();
    yield { kind: 'file', path, bytes: size, modified: mtime };
    if (withContents) {
      yield* contents(path, handle.createReadStream({ autoClose: false }));
    }
  } finally {
    await handle.close();
  }
}

function ignoreMissing(error: unknown): undefined {
  if (![ 'ELOOP', 'ENOENT', 'ENOTDIR' ].includes(codeOf(error))) {
    throw error;
  }
}

/** Yields nothing when pods are not stored in the database. */
async function* documents(
  database: PodDirectory,
  container: string,
  wanted: { rootLength: number; withContents: boolean },
): AsyncGenerator<ExportedItem> {
  for await (const { path, size, modified } of database.listMembers(container)) {
    if (path.endsWith('/')) {
      yield* documents(database, path, wanted);
    } else {
      const name = path.slice(wanted.rootLength);
      yield { kind: 'file', path: name, bytes: size, modified };
      if (wanted.withContents) {
        yield* contents(name, await database.open(path) ?? []);
      }
    }
  }
}

/** Yields the bytes of a file, an item for each part. */
async function* contents(path: string, chunks: AsyncIterable<Buffer> | []): AsyncGenerator<ExportedItem> {
  let rest = Buffer.alloc(0);
  for await (const chunk of chunks) {
    rest = Buffer.concat([ rest, chunk ]);
    while (rest.length >= contentBytes) {
      yield { kind: 'content', path, base64: rest.subarray(0, contentBytes).toString('base64') };
      rest = rest.subarray(contentBytes);
    }
  }
  if (rest.length > 0) {
    yield { kind: 'content', path, base64: rest.toString('base64') };
  }
}

async function* shares({ shares: store }: Source, citizenId: string): AsyncGenerator<ExportedItem> {
  let cursor: string | undefined;
  do {
    const page = await store.list(citizenId, { limit: pageSize, cursor });
    for (const share of page.shares) {
      yield { kind: 'share', ...share };
    }
    cursor = page.next;
  } while (cursor !== undefined);
}

async function* grants({ grants: store }: Source, webId: WebId, now: Date): AsyncGenerator<ExportedItem> {
  let page: string | undefined;
  do {
    const listed = await store.list({ party: webId, now }, { size: pageSize, page });
    for (const { kind, document, issuedAt, expiresAt, revokedAt, invalidAt } of listed.grants) {
      yield {
        kind: 'grant',
        type: kind,
        issuedAt,
        expiresAt,
        revokedAt,
        invalidAt,
        credential: parseOwn<unknown>(document),
      };
    }
    page = listed.next;
  } while (page !== undefined);
}

async function* copies({ dataCopies }: Source, podUrl: string): AsyncGenerator<ExportedItem> {
  let cursor: string | undefined;
  do {
    const page = await dataCopies.listByPod(podUrl, { limit: pageSize, cursor });
    for (const copy of page.copies) {
      yield { kind: 'copy', ...copy };
    }
    cursor = page.next;
  } while (cursor !== undefined);
}
