import { closeSync, constants, createReadStream, fstatSync, openSync, read, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { DC, POSIX, RepresentationMetadata, toLiteral, updateModifiedDate, XSD } from '@solid/community-server';
import type { ETagHandler, FileIdentifierMapper, ResourceStore } from '@solid/community-server';
import type { Clock } from '../../platform/clock';
import type { PodResource } from '../../platform/PodResource';
import { BoundedMap } from '../../platform/BoundedMap';
import type { FileState } from '../../platform/fileState';
import { isQuiet, isSameState, modifiedOf, stateOf } from '../../platform/fileState';
import type { PodShortcut } from '../PodShortcut';
import { FileBytes } from './FileBytes';
import type { AtomicWritesDataAccessor } from './AtomicWritesDataAccessor';

/** Options of {@link PodFiles}. */
export interface PodFilesArgs {
  /** Maps resources to the server's files. */
  mapper: FileIdentifierMapper;
  /** Replaces files atomically. */
  accessor: AtomicWritesDataAccessor;
  /** The server's store at the bottom of the stack. If it stores pods elsewhere, every call is left to the store. */
  backend: ResourceStore;
  /** Makes entity tags. */
  eTagHandler: ETagHandler;
}

/** Location of a resource on disk, valid while the folder does not change. */
interface FilePlace {
  filePath: string;
  contentType: string;
  folder: string;
  /** State of the folder when the location was looked up. */
  folderState: FileState;
  validators?: FileValidators;
}

/** Properties of a resource derived from its file's modification time. */
interface FileValidators {
  modifiedNs: bigint;
  size: bigint;
  etag: string;
  modified: Date;
}

const maxPlaces = 10_000;
/** Files up to this size are read synchronously, which takes less time than a call to the thread pool. */
const maxSyncBytes = 64 * 1024;
/** Larger files are streamed. */
const maxBufferedBytes = 2 * 1024 * 1024;
const streamBytes = 256 * 1024;
/** Non-blocking: a pipe in place of a file must not block the server. */
const openFlags = constants.O_RDONLY | constants.O_NONBLOCK;
const readAsync = promisify(read);

/**
 * Resources of pods, read from the files that the server's file backend keeps them in.
 *
 * Only for a server that replaces files atomically, as `AtomicWritesDataAccessor` does: it takes no lock. Returns the
 * same as the server's store, or nothing in unusual cases, which are left to the store: resources with a description of
 * their own, unknown content types, empty files, and files that change meanwhile. The server's own mapper finds the
 * file, again after each addition to the folder or removal from it. Times and size are read from the file at every
 * call; bytes are kept while these stay the same.
 */
export class PodFiles implements PodShortcut {
  private readonly args: PodFilesArgs;
  private readonly now: Clock;
  private readonly places = new BoundedMap<string, FilePlace>(maxPlaces);
  private readonly bytes: FileBytes;
  private isInUse?: boolean;

  /**
   * @param args - Parts of the server.
   * @param now - Returns the current time.
   */
  public constructor(args: PodFilesArgs, /** @ignored */ now: Clock = systemTime) {
    this.args = args;
    this.now = now;
    this.bytes = new FileBytes(now);
  }

  public async find(uri: string): Promise<PodResource | undefined> {
    this.isInUse ??= this.args.accessor.isOf(this.args.backend);
    if (!this.isInUse) {
      return undefined;
    }
    const place = this.knownPlace(uri) ?? await this.findPlace(uri);
    return place && this.open(uri, place);
  }

  private knownPlace(uri: string): FilePlace | undefined {
    const place = this.places.get(uri);
    if (!place) {
      return undefined;
    }
    if (isUnchanged(place)) {
      return place;
    }
    this.places.delete(uri);
    return undefined;
  }

  private async findPlace(uri: string): Promise<FilePlace | undefined> {
    const place = await this.map(uri);
    if (!place) {
      return undefined;
    }
    if (!isUnchanged(place)) {
      return undefined;
    }
    if (isQuiet(place.folderState, this.now())) {
      this.places.set(uri, place);
    }
    return place;
  }

  private async map(uri: string): Promise<FilePlace | undefined> {
    try {
      const { filePath: description } = await this.args.mapper.mapUrlToFilePath({ path: uri }, true);
      const folder = dirname(description);
      const folderState = stateOf(folder);
      const { contentType, filePath, isMetadata } = await this.args.mapper.mapUrlToFilePath({ path: uri }, false);
      if (folderState && contentType && !isMetadata && dirname(filePath) === folder &&
        !statSync(description, { throwIfNoEntry: false })) {
        return { filePath, contentType, folder, folderState };
      }
    } catch {
      // Not a valid file name: the store reports the error.
    }
    return undefined;
  }

  private async open(uri: string, place: FilePlace): Promise<PodResource | undefined> {
    const kept = this.bytes.find(place.filePath);
    return kept ? this.represent(uri, place, kept.stats, kept.bytes) : this.read(uri, place);
  }

  private async read(uri: string, place: FilePlace): Promise<PodResource | undefined> {
    const file = openFile(place.filePath);
    if (file === undefined) {
      return undefined;
    }
    let isStreaming = false;
    try {
      const stats = fstatSync(file, { bigint: true });
      if (!stats.isFile() || stats.size === 0n) {
        return undefined;
      }
      const size = Number(stats.size);
      isStreaming = size > maxBufferedBytes;
      const body = isStreaming ? stream(place.filePath, file, size) : await readWhole(file, stats);
      if (Buffer.isBuffer(body) && size <= maxSyncBytes) {
        this.bytes.keep(place.filePath, { stats, bytes: body });
      }
      return body && this.represent(uri, place, stats, body);
    } finally {
      if (!isStreaming) {
        closeSync(file);
      }
    }
  }

  private represent(uri: string, place: FilePlace, stats: FileState, body: PodResource['body']): PodResource {
    const { etag, modified } = this.validators(uri, place, stats);
    return { contentType: place.contentType, etag, modified, size: Number(stats.size), body };
  }

  /** Returns the validators that the server makes from its own metadata, cached while the file does not change. */
  private validators(uri: string, place: FilePlace, stats: FileState): FileValidators {
    const { mtimeNs, size } = stats;
    if (place.validators?.modifiedNs !== mtimeNs || place.validators.size !== size) {
      const metadata = new RepresentationMetadata({ path: uri }, place.contentType);
      updateModifiedDate(metadata, modifiedOf(stats));
      metadata.set(POSIX.terms.size, toLiteral(Number(size), XSD.terms.integer));
      place.validators = {
        modifiedNs: mtimeNs,
        size,
        etag: this.args.eTagHandler.getETag(metadata) ?? '',
        modified: new Date(metadata.get(DC.terms.modified)?.value ?? 0),
      };
    }
    return place.validators;
  }
}

function systemTime(): Date {
  return new Date();
}

/** Returns true while a folder is unchanged since a location in it was looked up. */
function isUnchanged({ folder, folderState }: FilePlace): boolean {
  const state = stateOf(folder);
  return state !== undefined && isSameState(state, folderState);
}

function openFile(path: string): number | undefined {
  try {
    return openSync(path, openFlags);
  } catch {
    return undefined;
  }
}

/** Returns all bytes of a file, unless it changes meanwhile. */
async function readWhole(file: number, before: FileState): Promise<Buffer | undefined> {
  const size = Number(before.size);
  const bytes = Buffer.allocUnsafeSlow(size);
  const length = size <= maxSyncBytes ?
      readSync(file, bytes, 0, size, 0) :
      (await readAsync(file, bytes, 0, size, 0)).bytesRead;
  return length === size && isSameState(fstatSync(file, { bigint: true }), before) ? bytes : undefined;
}

function stream(path: string, file: number, size: number): ReturnType<typeof createReadStream> {
  return createReadStream(path, { fd: file, start: 0, end: size - 1, highWaterMark: streamBytes });
}
