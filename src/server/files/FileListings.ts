import { statSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { basename } from 'node:path';
import { parseContentType } from '@solid/community-server';
import type { FileIdentifierMapper, ResourceIdentifier } from '@solid/community-server';
import type { Clock } from '../../platform/clock';
import { isSameState, isSettled, stateOf } from '../../platform/fileState';
import type { FileState } from '../../platform/fileState';
import { giveWay, isOverdue } from '../../platform/giveWay';
import type { ListedMember, ListingState } from '../versions/ListingStorage';
import { ListingSum } from '../versions/listings';

/** The state of a folder's listing while the folder is unchanged. */
interface Known {
  state: FileState;
  /** Of the files: each is replaced as a whole, which changes the folder. */
  files: ListingSum;
  /** Names of the rest, which changes without the folder: folders, and links. */
  others: string[];
}

/** Names that are remembered in all, one for each folder included. */
const maxNames = 100_000;

/** End of the name of a file whose own ending shows another type. */
const mark = /\$\.\w+$/u;

/** How many entries of a folder are read at once. */
const entriesAtOnce = 256;

/**
 * Lists the files and folders of a container, and finds the state of such a listing. For the state, each file is looked
 * at once for as long as the folder is unchanged; in a folder that changed so recently that its time could stay the
 * same, at every question.
 */
export class FileListings {
  private readonly mapper: FileIdentifierMapper;
  private readonly now: Clock;
  /** Oldest first. */
  private readonly known = new Map<string, Known>();
  private names = 0;

  /**
   * @param mapper - Tells in which file the server keeps a resource.
   * @param now - The clock of the file system.
   */
  public constructor(mapper: FileIdentifierMapper, now: Clock) {
    this.mapper = mapper;
    this.now = now;
  }

  /**
   * The members, one in memory at a time. Containers that have the name of a description are listed as well: they can
   * be read and removed.
   */
  public async* listMembers(container: ResourceIdentifier): AsyncIterableIterator<ListedMember> {
    const folder = await this.folderOf(container);
    for await (const { name } of await opendir(folder, { bufferSize: entriesAtOnce })) {
      const stats = statOf(`${folder}/${name}`);
      const member = stats && await this.describe(container, `${folder}/${name}`, stats);
      if (member) {
        yield member;
      }
    }
  }

  /**
   * @param container - Of the members.
   * @param hidden - Suffixes of names that are not listed, the same at each call.
   *
   * @returns Undefined when there is no such folder.
   */
  public async findState(container: ResourceIdentifier, hidden: readonly string[]): Promise<ListingState | undefined> {
    const folder = await this.folderOf(container);
    const state = stateOf(folder);
    if (!state?.isDirectory()) {
      return undefined;
    }
    const known = this.known.get(folder);
    const isKnown = known && isSameState(known.state, state);
    const { files, others } = isKnown ? known : await this.read(folder, state, hidden);
    const sum = files.copy();
    for (const name of others) {
      if (isOverdue()) {
        await giveWay();
      }
      add(sum, folder, name);
    }
    return sum;
  }

  private async folderOf(container: ResourceIdentifier): Promise<string> {
    return (await this.mapper.mapUrlToFilePath(container, false)).filePath.replace(/\/+$/u, '');
  }

  private async describe(
    container: ResourceIdentifier,
    path: string,
    stats: Stats,
  ): Promise<ListedMember | undefined> {
    const { contentType, identifier, isMetadata } = await this.mapper.mapFilePathToUrl(path, stats.isDirectory());
    if (stats.isDirectory()) {
      const named = `${container.path}${encodeURIComponent(basename(path))}/`;
      return { identifier: isMetadata ? { path: named } : identifier, modified: stats.mtime };
    }
    return isMetadata ?
      undefined :
        { identifier, modified: stats.mtime, size: stats.size, mediaType: mediaTypeOf(contentType) };
  }

  private async read(folder: string, state: FileState, hidden: readonly string[]): Promise<Known> {
    this.forget(folder);
    const isToBeTrusted = isSettled(state, this.now());
    const read: Known = { state, files: new ListingSum(), others: []};
    for await (const entry of await opendir(folder, { bufferSize: entriesAtOnce })) {
      if (isOverdue()) {
        await giveWay();
      }
      if (!entry.isFile()) {
        read.others.push(entry.name);
      } else if (!hidden.some((suffix): boolean => entry.name.replace(mark, '').endsWith(suffix))) {
        add(read.files, folder, entry.name);
      }
    }
    if (isToBeTrusted) {
      this.remember(folder, read);
    }
    return read;
  }

  /** Unless it changed while it was read. */
  private remember(folder: string, read: Known): void {
    const after = stateOf(folder);
    if (!after || !isSameState(after, read.state) || read.others.length >= maxNames) {
      return;
    }
    this.forget(folder);
    this.known.set(folder, read);
    this.names += read.others.length + 1;
    for (const oldest of this.known.keys()) {
      if (this.names <= maxNames) {
        break;
      }
      this.forget(oldest);
    }
  }

  private forget(folder: string): void {
    const known = this.known.get(folder);
    if (known) {
      this.known.delete(folder);
      this.names -= known.others.length + 1;
    }
  }
}

/** Adds an entry of a folder, if it is there. */
function add(sum: ListingSum, folder: string, name: string): void {
  const stats = statOf(`${folder}/${name}`);
  if (stats) {
    sum.add(name, stats.isFile() ? `${stats.mtimeMs} ${stats.size}` : String(stats.mtimeMs));
    sum.see(stats.mtime.getTime());
  }
}

/** State of a file or folder, links resolved. Undefined for anything that is not listed. */
function statOf(path: string): Stats | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats?.isFile() || stats?.isDirectory() ? stats : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined for what is no media type: it would make no URI. */
function mediaTypeOf(contentType = ''): string | undefined {
  try {
    return parseContentType(contentType).value;
  } catch {
    return undefined;
  }
}
