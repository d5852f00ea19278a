import { randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { opendir, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ensureTrailingSlash, joinFilePath, joinUrl, trimLeadingSlashes } from '@solid/community-server';
import type { FileIdentifierMapper, KeyValueStorage, ReadWriteLocker } from '@solid/community-server';
import type { FolderStorage } from '../holders/FolderStorage';
import { cssLogger } from '../process/CssLogger';
import type { TextsAtOnce, ValueRoom } from '../values/ValueChange';
import { throughChange } from '../values/ValueChange';
import { codeOf, messageOf } from '../../platform/errors';
import { giveWay, isOverdue } from '../../platform/giveWay';
import { changeEntries, makeFolder, writeToDisk } from './durableFiles';
import { FileChanges } from './FileChanges';
import { draftsFolder } from './internalFolder';

const contentType = 'application/json';

/** Place of {@link ValueFiles}. */
export interface ValuePlace {
  /** Maps the key of a value to its file. */
  mapper: FileIdentifierMapper;
  /** Root of the pods and of the server's values. */
  rootFilePath: string;
  /** Base URL of the server. */
  baseUrl: string;
  /** Container of the values: its path on the server. */
  container: string;
  /** Locks of all processes that use the values. Absent with a single process. */
  locker?: ReadWriteLocker;
}

/** Name of the lock for replacing several values. */
const changeKey = '.internal/change';

/**
 * The server's own values, in the same files as the server uses.
 *
 * A value is replaced as a whole, by a rename: a concurrent reader in any process gets the old or the new one. The new
 * value is on disk when the call resolves.
 */
export class ValueFiles implements KeyValueStorage<string, unknown>, FolderStorage {
  private readonly logger = cssLogger('ValueFiles');
  private readonly place: ValuePlace;
  private readonly mapper: FileIdentifierMapper;
  private readonly container: string;
  private readonly drafts: string;
  private readonly changes: FileChanges;
  private readonly room: ValueRoom;

  public constructor(place: ValuePlace) {
    const { mapper, rootFilePath, baseUrl, container } = place;
    this.place = place;
    this.mapper = mapper;
    this.container = ensureTrailingSlash(joinUrl(baseUrl, container));
    this.drafts = joinFilePath(rootFilePath, draftsFolder);
    this.changes = new FileChanges(this.drafts);
    this.room = {
      get: async(file): Promise<string | undefined> => readText(file),
      set: async(file, text): Promise<void> => this.write(file, text),
      delete: remove,
      replace: async(seen, written): Promise<boolean> => this.alone(async(): Promise<boolean> =>
        this.replaceAll(seen, written)),
    };
  }

  public async get(key: string): Promise<unknown> {
    const text = await throughChange(this.room).get(await this.fileOf(key));
    return text === undefined ? undefined : JSON.parse(text);
  }

  public async has(key: string): Promise<boolean> {
    return await throughChange(this.room).get(await this.fileOf(key)) !== undefined;
  }

  public async set(key: string, value: unknown): Promise<this> {
    await throughChange(this.room).set(await this.fileOf(key), JSON.stringify(value));
    return this;
  }

  public async delete(key: string): Promise<boolean> {
    return throughChange(this.room).delete(await this.fileOf(key));
  }

  public async* entries(): AsyncIterableIterator<[ string, unknown ]> {
    yield* this.entriesBelow(await this.folderPath());
  }

  public below(folder: string): ValueFiles {
    return new ValueFiles({ ...this.place, container: `${ensureTrailingSlash(this.place.container)}${folder}/` });
  }

  public async* folders(): AsyncIterableIterator<string> {
    for (const { name, isFolder } of await list(await this.folderPath())) {
      if (isFolder) {
        yield name;
      }
    }
  }

  public async removeFolder(folder: string): Promise<void> {
    const path = await this.below(folder).folderPath();
    try {
      await changeEntries([ path ], async(): Promise<void> => rmdir(path));
    } catch (error: unknown) {
      // Another process needs the folder again: keep it.
      if (!isMissing(error) && codeOf(error) !== 'ENOTEMPTY') {
        throw error;
      }
    }
  }

  private async folderPath(): Promise<string> {
    return (await this.mapper.mapUrlToFilePath({ path: this.container }, false)).filePath;
  }

  private async* entriesBelow(folder: string): AsyncIterableIterator<[ string, unknown ]> {
    for (const { name, isFolder } of await list(folder)) {
      const path = joinFilePath(folder, name);
      const link = await this.mapper.mapFilePathToUrl(path, isFolder);
      if (isFolder) {
        yield* this.entriesBelow(path);
      } else if (!link.isMetadata && link.contentType === contentType) {
        if (isOverdue()) {
          await giveWay();
        }
        const value = this.readValid(path);
        if (value !== undefined) {
          yield [ trimLeadingSlashes(link.identifier.path.slice(this.container.length)), value ];
        }
      }
    }
  }

  private async write(file: string, text: string): Promise<void> {
    if (readText(file) === text) {
      return;
    }
    const draft = await this.draft(text);
    try {
      await orAfter(async(): Promise<void> =>
        changeEntries([ file ], async(): Promise<void> => rename(draft, file)), dirname(file));
    } catch (error: unknown) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  /** Runs a change under the lock of all such changes, after completing one that a killed process left unfinished. */
  private async alone(change: () => Promise<boolean>): Promise<boolean> {
    const { baseUrl, locker } = this.place;
    const work = async(): Promise<boolean> => {
      await this.changes.settle(changeKey);
      return change();
    };
    return locker ? locker.withWriteLock({ path: joinUrl(baseUrl, changeKey) }, work) : work();
  }

  private async replaceAll(seen: TextsAtOnce, written: TextsAtOnce): Promise<boolean> {
    if ([ ...seen ].some(([ file, text ]): boolean => readText(file) !== text)) {
      return false;
    }
    const renames: [draft: string, file: string][] = [];
    const removals: string[] = [];
    try {
      for (const [ file, text ] of written) {
        if (text === undefined) {
          removals.push(...isFile(file) ? [ file ] : []);
        } else if (text !== seen.get(file)) {
          await makeFolder(dirname(file));
          renames.push([ await this.draft(text), file ]);
        }
      }
    } catch (error: unknown) {
      await Promise.all(renames.map(async([ draft ]): Promise<void> => rm(draft, { force: true })));
      throw error;
    }
    await this.changes.make(changeKey, { renames, removals });
    return true;
  }

  private async draft(text: string): Promise<string> {
    const draft = joinFilePath(this.drafts, `value-${randomUUID()}.json`);
    try {
      await orAfter(async(): Promise<void> => writeToDisk(draft, text), this.drafts);
    } catch (error: unknown) {
      await rm(draft, { force: true });
      throw error;
    }
    return draft;
  }

  private readValid(path: string): unknown {
    try {
      return readValue(path);
    } catch (error: unknown) {
      this.logger.error(`Unable to read ${path}: ${messageOf(error)}`);
      return undefined;
    }
  }

  private async fileOf(key: string): Promise<string> {
    return (await this.mapper.mapUrlToFilePath({ path: joinUrl(this.container, key) }, false, contentType)).filePath;
  }
}

async function remove(file: string): Promise<boolean> {
  try {
    await changeEntries([ file ], async(): Promise<void> => unlink(file));
    return true;
  } catch (error: unknown) {
    if (isMissing(error)) {
      return false;
    }
    throw error;
  }
}

/** Returns undefined when the file does not exist. */
function readValue(path: string): unknown {
  const text = readText(path);
  return text === undefined ? undefined : JSON.parse(text);
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error: unknown) {
    if (isMissing(error)) {
      return undefined;
    }
    throw error;
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

async function list(folder: string): Promise<{ name: string; isFolder: boolean }[]> {
  const entries: { name: string; isFolder: boolean }[] = [];
  try {
    for await (const entry of await opendir(folder)) {
      entries.push({ name: entry.name, isFolder: entry.isDirectory() });
    }
  } catch (error: unknown) {
    if (!isMissing(error)) {
      throw error;
    }
  }
  return entries;
}

/** Runs work that needs a folder, creating the folder if needed. */
async function orAfter(work: () => Promise<void>, folder: string): Promise<void> {
  try {
    await work();
  } catch (error: unknown) {
    if (!isMissing(error)) {
      throw error;
    }
    await makeFolder(folder);
    await work();
  }
}

function isMissing(error: unknown): boolean {
  return [ 'EISDIR', 'ENOENT', 'ENOTDIR' ].includes(codeOf(error));
}
