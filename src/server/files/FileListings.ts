import { lstatSync, statSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { basename } from 'node:path';
import { parseContentType } from '@solid/community-server';
import type { FileIdentifierMapper, ResourceIdentifier } from '@solid/community-server';
import type { Clock } from '../../platform/clock';
import { isSameState, isSettled, stateOf, unlessOutage } from '../../platform/fileState';
import type { FileState } from '../../platform/fileState';
import { giveWay, isOverdue } from '../../platform/giveWay';
import { HeavyMap } from '../../platform/HeavyMap';
import type { ListedMember, ListingState } from '../versions/ListingStorage';
import { ListingSum } from '../versions/listings';

/** State of a folder's listing, valid while the folder is unchanged. */
interface Known {
  state: FileState;
  /** Sum over the files: each is replaced as a whole, which changes the folder. */
  files: ListingSum;
  /** Names of folders and links, which change without the folder. */
  others: string[];
}

/** Maximum cached names in total, counting one more for each folder. */
const maxNames = 100_000;

/** End of the name of a file whose own extension shows another type. */
const mark = /\$\.\w+$/u;

/** Number of directory entries read at once. */
const entriesAtOnce = 256;

/**
 * Lists the files and folders of a container, and determines the state of the listing. For the state, each file is
 * examined once while the folder is unchanged. If the folder changed so recently that its time might not change again,
 * files are examined at each call.
 */
export class FileListings {
  private readonly mapper: FileIdentifierMapper;
  private readonly now: Clock;
  private readonly known: HeavyMap<Known>;

  /**
   * @param mapper - Maps resources to the server's files.
   * @param now - The clock of the file system.
   */
  public constructor(mapper: FileIdentifierMapper, now: Clock) {
    this.mapper = mapper;
    this.now = now;
    this.known = new HeavyMap({ weight: maxNames }, now);
  }

  /**
   * Lists the members, one in memory at a time. Includes containers that have the name of a description: they can be
   * read and removed.
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
   * @param container - Container to list.
   * @param hidden - Suffixes of names that are not listed, the same at each call.
   *
   * @returns Undefined when the folder does not exist.
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

  /** Caches the state of a folder, unless the folder changed while it was read. */
  private remember(folder: string, read: Known): void {
    const after = stateOf(folder);
    if (after && isSameState(after, read.state)) {
      this.known.set(folder, read, read.others.length + 1);
    }
  }
}

/** Adds an entry of a folder, if it exists. */
function add(sum: ListingSum, folder: string, name: string): void {
  const stats = statOf(`${folder}/${name}`);
  if (stats) {
    sum.add(name, stats.isFile() ? `${stats.mtimeMs} ${stats.size}` : String(stats.mtimeMs));
    sum.see(stats.mtime.getTime());
  }
}

/**
 * Returns the state of a file or folder, following links; undefined for anything that is not listed.
 *
 * @throws The error of the file system in an outage: what cannot be examined is not absent.
 */
export function statOf(path: string): Stats | undefined {
  const stats = unlessOutage(
    (): Stats | undefined => statSync(path, { throwIfNoEntry: false }),
    (): boolean => isLink(path),
  );
  return stats?.isFile() || stats?.isDirectory() ? stats : undefined;
}

/** Checks for a link, which may lead to where this process may see nothing. */
function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** Returns undefined for an invalid media type, which would give no valid URI. */
function mediaTypeOf(contentType = ''): string | undefined {
  try {
    return parseContentType(contentType).value;
  } catch {
    return undefined;
  }
}
