import { ServiceProblem } from './service';
import type { Session } from './session';

/** File or folder in a vault. */
export interface Entry {
  url: string;
  /** Last part of its path, decoded. */
  name: string;
  isFolder: boolean;
  /** ISO 8601 moment. */
  modified?: string;
  /** Size in bytes. */
  size?: number;
}

/** Node of a folder's description in expanded JSON-LD. */
interface Node {
  '@id': string;
  [property: string]: unknown;
}

/** IRI or text in expanded JSON-LD. */
interface Value {
  '@id'?: string;
  '@value'?: string;
}

const property = {
  contains: 'http://www.w3.org/ns/ldp#contains',
  modified: 'http://purl.org/dc/terms/modified',
  size: 'http://www.w3.org/ns/posix/stat#size',
} as const;

/**
 * Lists the entries of a folder by name, folders first.
 *
 * @throws ServiceProblem
 */
export async function listFolder(session: Session, folder: string): Promise<Entry[]> {
  const response = await reach(session, folder, { Accept: 'application/ld+json' });
  const nodes = [ await response.json() as Node | Node[] ].flat();
  // One resource may have several nodes.
  function stated(url: string, name: string): Value[] {
    return nodes.flatMap((node): Value[] => node['@id'] === url ? (node[name] ?? []) as Value[] : []);
  }
  // Only the folder contains anything. An access request may spell its URL in another way than the server.
  return nodes.flatMap((node): Value[] => (node[property.contains] ?? []) as Value[])
    .map(({ '@id': url = '' }): Entry => ({
      url,
      name: decodeURIComponent(url.split('/').findLast(Boolean) ?? ''),
      isFolder: url.endsWith('/'),
      modified: stated(url, property.modified)[0]?.['@value'],
      size: Number(stated(url, property.size)[0]?.['@value'] ?? Number.NaN),
    }))
    .sort((left, right): number =>
      Number(right.isFolder) - Number(left.isFolder) || left.name.localeCompare(right.name));
}

/** Reads a file of a vault. */
export async function readFile(session: Session, url: string): Promise<Blob> {
  return (await reach(session, url)).blob();
}

/**
 * Reads all files of a folder into one ZIP file, at their paths in the folder.
 *
 * @param session - Session of the citizen.
 * @param top - URL of the folder.
 * @param onFile - Called with the number of files so far.
 */
export async function readAll(session: Session, top: string, onFile?: (count: number) => void): Promise<Blob> {
  const { downloadZip } = await import('client-zip');
  let count = 0;
  async function* filesOf(folder: string): AsyncGenerator<{ name: string; input: Response }> {
    for (const entry of await listFolder(session, folder)) {
      if (entry.isFolder) {
        yield* filesOf(entry.url);
      } else {
        count += 1;
        onFile?.(count);
        yield { name: decodeURIComponent(entry.url.slice(top.length)), input: await reach(session, entry.url) };
      }
    }
  }
  return downloadZip(filesOf(top)).blob();
}

/** Maximum folders to read for a total size. */
const maxFolders = 100;

/**
 * Adds up the bytes of all files of a folder.
 *
 * @returns Nothing when this takes too many requests, or a file has no size.
 */
export async function sizeOfFolder(session: Session, folder: string): Promise<number | undefined> {
  const folders = [ folder ];
  let sum = 0;
  // The list grows during the loop.
  for (const each of folders) {
    for (const { isFolder, size = Number.NaN, url } of await listFolder(session, each)) {
      if (isFolder) {
        folders.push(url);
      } else {
        sum += size;
      }
    }
    if (folders.length > maxFolders || Number.isNaN(sum)) {
      return;
    }
  }
  return sum;
}

/**
 * Checks for an entry at the top of a vault that the vault itself needs. The pages show its content elsewhere: the
 * service shows shared data, and My identity the profile.
 */
export function isOwnEntry({ name, isFolder }: Entry): boolean {
  return isFolder ? /^(?:credentials(?:-[\da-f-]{36})?|profile)$/u.test(name) : name === 'README';
}

/** Downloads a file to the reader's device. */
export function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The download has started by then.
  setTimeout((): void => URL.revokeObjectURL(url), 60_000);
}

async function reach(session: Session, url: string, headers: Record<string, string> = {}): Promise<Response> {
  let response;
  try {
    response = await session.fetch(url, { headers });
  } catch (error: unknown) {
    throw new ServiceProblem(0, '', '', { cause: error });
  }
  if (!response.ok) {
    throw new ServiceProblem(response.status, '', response.headers.get('X-Correlation-Id') ?? '');
  }
  return response;
}
