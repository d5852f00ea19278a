import type { Stats } from 'node:fs';
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { codeOf } from './errors';

/** Maximum bytes of an operator's file: far more than any has, far less than the memory of the process. */
const usualBytes = 64 * 1024 * 1024;
/** Without waiting for a writer, as a named pipe would otherwise. */
const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/** A path leads to something that is not a file to read. The message says what it is, without the path. */
class NotRegularFile extends Error {
  public constructor(reason: string) {
    super(reason);
    this.name = 'NotRegularFile';
  }
}

/**
 * Reads a file that an operator gave. Links are followed.
 *
 * @param path - Path of the file.
 * @param maxBytes - Maximum size.
 *
 * @throws Error for {@link whyUnreadable}: a named pipe, device, socket or folder is refused at once, because reading
 * it may never end; so is a larger file. Others are those of the file system.
 */
export async function readRegularFile(path: string, maxBytes = usualBytes): Promise<Buffer> {
  const handle = await open(path, flags).catch(withoutSocket);
  try {
    requireReadable(await handle.stat(), maxBytes);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** Reads a file as {@link readRegularFile}, before it returns. */
export function readRegularFileSync(path: string, maxBytes = usualBytes): Buffer {
  const descriptor = openSyncWithoutSocket(path);
  try {
    requireReadable(fstatSync(descriptor), maxBytes);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Reads a text in UTF-8 as {@link readRegularFile}. */
export async function readRegularText(path: string): Promise<string> {
  return (await readRegularFile(path)).toString();
}

/**
 * Says why a file could not be read, for the end of a message: `cannot be read: it is a named pipe, not a file`, or
 * `cannot be read (ENOENT)`.
 *
 * @param error - Error of {@link readRegularFile}.
 */
export function whyUnreadable(error: unknown): string {
  return error instanceof NotRegularFile ?
    `cannot be read: ${error.message}` :
    `cannot be read (${codeOf(error) || 'unknown'})`;
}

function openSyncWithoutSocket(path: string): number {
  try {
    return openSync(path, flags);
  } catch (error: unknown) {
    return withoutSocket(error);
  }
}

/** A socket is refused by the file system already, in words of devices. */
function withoutSocket(error: unknown): never {
  throw codeOf(error) === 'ENXIO' ? new NotRegularFile('it is a socket or device, not a file') : error;
}

function requireReadable(stats: Stats, maxBytes: number): void {
  if (!stats.isFile()) {
    throw new NotRegularFile(`it is a ${kindOf(stats)}, not a file`);
  }
  if (stats.size > maxBytes) {
    throw new NotRegularFile(`it has more than ${maxBytes} bytes`);
  }
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) {
    return 'folder';
  }
  return stats.isFIFO() ? 'named pipe' : 'device';
}
