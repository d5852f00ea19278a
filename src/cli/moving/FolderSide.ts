import { readdir, rm, stat, utimes } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  ensureTrailingSlash,
  isContainerIdentifier,
  MaxKeyLengthStorage,
  NotFoundHttpError,
} from '@solid/community-server';
import type { KeyValueStorage, ResourceIdentifier } from '@solid/community-server';
import { findUnfitName, maxNameBytes } from '../../platform/targets';
import { DurableFileDataAccessor } from '../../server/files/DurableFileDataAccessor';
import { makeFolder } from '../../server/files/durableFiles';
import { FileChanges } from '../../server/files/FileChanges';
import { IndexedFileMapper } from '../../server/files/IndexedFileMapper';
import { draftsFolder, internalFolder, isPassing } from '../../server/files/internalFolder';
import { ValueFiles } from '../../server/files/ValueFiles';
import { isThere } from '../../platform/fileState';
import { isRecord } from '../../platform/isRecord';
import { opened } from '../../platform/opened';
import type { CanKeep, OwnValues, PodSide, PodTree } from './PodSide';

/** Placeholder: values are in the same files for any base URL. */
const anyBase = 'http://localhost/';

/** A value in the server's wrapper, which contains the key because file names may be digests of long keys. */
interface Wrapped {
  key: string;
  payload: unknown;
}

/** Pods and values as files, in the server's layout. */
export class FolderSide implements PodSide {
  public readonly values: OwnValues;
  private readonly root: string;

  /** @param root - Root folder of the pods, as in `--rootFilePath`. */
  public constructor(root: string) {
    this.root = ensureTrailingSlash(root);
    this.values = new FolderValues(this.root);
  }

  public tree(baseUrl: string): PodTree {
    const mapper = new IndexedFileMapper(baseUrl, this.root);
    async function filesOf(identifier: ResourceIdentifier): Promise<string[]> {
      const links = await Promise.all([ true, false ].map(async(isMetadata): Promise<{ filePath: string }> =>
        mapper.mapUrlToFilePath(identifier, isMetadata)));
      return links.map(({ filePath }): string => filePath);
    }
    return {
      accessor: new DurableFileDataAccessor(mapper, this.root, `${draftsFolder}/`),
      async modifiedOf(identifier): Promise<Date> {
        const [ description, file ] = await filesOf(identifier);
        const described = await stat(description).catch((): undefined => undefined);
        const { mtime } = await stat(file);
        return described && described.mtime > mtime ? described.mtime : mtime;
      },
      async settle(identifier, modified): Promise<void> {
        const [ description, file ] = await filesOf(identifier);
        await utimes(description, modified, modified).catch((): undefined => undefined);
        await utimes(file, modified, modified);
      },
    };
  }

  public namesOf(baseUrl: string): CanKeep {
    const mapper = new IndexedFileMapper(baseUrl, this.root);
    return async(identifier, typeOf): Promise<boolean> => {
      const { pathname } = new URL(identifier.path);
      // Most names fit anywhere. Only for the others is the file name checked, which needs the content type.
      return findUnfitName(pathname)?.path !== pathname || hasFile(mapper, identifier, await typeOf());
    };
  }

  public async isEmpty(): Promise<boolean> {
    return !isThere(this.root) || (await readdir(this.root)).length === 0;
  }

  public async tidy(): Promise<void> {
    await makeFolder(this.root);
    await new FileChanges(join(this.root, draftsFolder)).settleAll();
    await rm(join(this.root, draftsFolder), { recursive: true, force: true });
  }
}

class FolderValues implements OwnValues {
  private readonly files: ValueFiles;
  private readonly wrapped: MaxKeyLengthStorage<unknown>;

  public constructor(private readonly root: string) {
    this.files = new ValueFiles({
      mapper: new IndexedFileMapper(anyBase, root),
      rootFilePath: root,
      baseUrl: anyBase,
      container: internalFolder,
    });
    this.wrapped = new MaxKeyLengthStorage(opened<KeyValueStorage<string, Wrapped>>(this.files));
  }

  public async get(key: string): Promise<unknown> {
    return this.wrapped.get(key);
  }

  public async set(key: string, value: unknown): Promise<void> {
    await this.wrapped.set(key, value);
  }

  /** @throws Error when a file is not a value, because it would not be moved. */
  public async* entries(): AsyncIterableIterator<[string, unknown]> {
    const files = await this.countFiles();
    let read = 0;
    for await (const [ name, value ] of this.files.entries()) {
      if (!isPassing(internalFolder + name)) {
        const { key, payload } = isRecord(value) ? value : {};
        if (typeof key !== 'string' || await this.wrapped.get(key) === undefined) {
          throw new TypeError(`${join(this.root, internalFolder, name)} is not a value of the server`);
        }
        read += 1;
        yield [ key, payload ];
      }
    }
    if (read < files) {
      throw new Error(`${files - read} files in ${join(this.root, internalFolder)} cannot be read as values`);
    }
  }

  private async countFiles(): Promise<number> {
    const folder = join(this.root, internalFolder);
    const entries = isThere(folder) ? await readdir(folder, { recursive: true, withFileTypes: true }) : [];
    return entries.filter((entry): boolean =>
      entry.isFile() && !entry.name.endsWith('.meta') &&
      !isPassing(internalFolder + join(entry.parentPath, entry.name).slice(folder.length))).length;
  }
}

/**
 * Checks that the file name of the resource leads back to it, and that its name and that of its description are short
 * enough.
 */
async function hasFile(
  mapper: IndexedFileMapper,
  identifier: ResourceIdentifier,
  type?: string,
): Promise<boolean> {
  try {
    const { filePath } = await mapper.mapUrlToFilePath(identifier, false, type);
    const { filePath: description } = await mapper.mapUrlToFilePath(identifier, true, 'text/turtle');
    const read = await mapper.mapFilePathToUrl(filePath, isContainerIdentifier(identifier));
    return read.identifier.path === identifier.path &&
      [ filePath, description ].every((path): boolean => Buffer.byteLength(basename(path)) <= maxNameBytes);
  } catch (error: unknown) {
    if (NotFoundHttpError.isInstance(error)) {
      return false;
    }
    throw error;
  }
}
