import { randomUUID } from 'node:crypto';
import { createWriteStream, mkdirSync, statSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import {
  addResourceMetadata,
  ConflictHttpError,
  CONTENT_TYPE_TERM,
  DC,
  FileDataAccessor,
  isContainerIdentifier,
  isContainerPath,
  joinFilePath,
  LDP,
  NotFoundHttpError,
  POSIX,
  RDF,
  RepresentationMetadata,
  SOLID_META,
  toLiteral,
  updateModifiedDate,
  XSD,
} from '@solid/community-server';
import type {
  AtomicDataAccessor,
  FileIdentifierMapper,
  Guarded,
  Initializable,
  ResourceIdentifier,
  ResourceLink,
} from '@solid/community-server';
import { isAuxiliaryName } from '../../platform/resourceNames';
import type { ContainerGate } from './ContainerGate';
import { makeFolder, syncFolder } from './durableFiles';
import { isThere, stateOf } from './fileState';
import { removeTree } from './removeTree';

/** What files say of themselves, and no description has to. */
const plainTypes = new Set([ LDP.Resource, LDP.Container, LDP.BasicContainer ].map(String));

/**
 * Pod resources in files that are whole at any moment, descriptions included, and on the disk when a write or removal
 * resolves: what was answered outlives the process and a power cut.
 *
 * The server's own accessors leave both to the operating system. A description that a crash cut short makes its
 * container unreadable, and with the description of a pod's root the pod is no storage any more.
 *
 * Nothing is removed or made by looking. A folder with the name of a description, which a server without this package
 * may have, is no description: it stays as it is, and what would be described by it is as if it had none.
 *
 * Whether a file is there is asked without another thread: most are not, and handing it over takes ten times as long.
 */
export class DurableFileDataAccessor extends FileDataAccessor implements AtomicDataAccessor, Initializable {
  private readonly root: string;
  private readonly drafts: string;
  private readonly gate?: ContainerGate;

  /**
   * @param resourceMapper - Tells in which file a resource is.
   * @param rootFilePath - Root of the pods.
   * @param tempFilePath - Folder below it for files that are being written. Another process must not share it when it
   * can start later.
   * @param gate - Says which containers may not be made any more.
   */
  public constructor(
    resourceMapper: FileIdentifierMapper,
    rootFilePath: string,
    tempFilePath: string,
    gate?: ContainerGate,
  ) {
    super(resourceMapper);
    this.gate = gate;
    this.root = joinFilePath(rootFilePath);
    this.drafts = joinFilePath(rootFilePath, tempFilePath);
    mkdirSync(this.drafts, { recursive: true });
  }

  /** Removes what a crash left half written: there may be personal data in it. */
  public async initialize(): Promise<void> {
    await rm(this.drafts, { recursive: true, force: true });
    await mkdir(this.drafts, { recursive: true });
  }

  public override async writeDocument(
    identifier: ResourceIdentifier,
    data: Guarded<Readable>,
    metadata: RepresentationMetadata,
  ): Promise<void> {
    const link = await this.resourceMapper.mapUrlToFilePath(identifier, false, metadata.contentType);
    await inFolder(link.filePath, async(): Promise<void> => {
      await this.writeWhole(link.filePath, data, async(): Promise<void> => this.verifyExistingExtension(link));
      await this.writeMetadataFile(link, metadata);
    });
  }

  public override async writeContainer(
    identifier: ResourceIdentifier,
    metadata: RepresentationMetadata,
  ): Promise<void> {
    const link = await this.resourceMapper.mapUrlToFilePath(identifier, false);
    await inFolder(await this.descriptionOf(identifier), async(): Promise<void> => {
      await this.makeContainer(identifier, link.filePath);
      await this.writeMetadataFile(link, metadata);
    });
  }

  public override async writeMetadata(
    identifier: ResourceIdentifier,
    metadata: RepresentationMetadata,
  ): Promise<void> {
    await inFolder(await this.descriptionOf(identifier), async(): Promise<void> =>
      super.writeMetadata(identifier, metadata));
  }

  public override async getMetadata(identifier: ResourceIdentifier): Promise<RepresentationMetadata> {
    try {
      return await this.describedByFolder(identifier) ??
        await super.getMetadata(identifier);
    } catch (error: unknown) {
      throw isMissing(error) ? new NotFoundHttpError('', { cause: error }) : error;
    }
  }

  /** Containers that have the name of a description are listed as well: they can be read and removed. */
  public override async* getChildren(identifier: ResourceIdentifier): AsyncIterableIterator<RepresentationMetadata> {
    try {
      yield* super.getChildren(identifier);
      const { filePath } = await this.resourceMapper.mapUrlToFilePath(identifier, false);
      for (const entry of await readdir(filePath, { withFileTypes: true })) {
        if (entry.isDirectory() && entry.name.endsWith('.meta')) {
          yield await this.getMetadata({ path: `${identifier.path}${encodeURIComponent(entry.name)}/` });
        }
      }
    } catch (error: unknown) {
      throw isMissing(error) ? new NotFoundHttpError('', { cause: error }) : error;
    }
  }

  /** Of a container goes what describes or guards it and its members: anything else in it is in the way. */
  public override async deleteResource(identifier: ResourceIdentifier): Promise<void> {
    const { filePath } = await this.resourceMapper.mapUrlToFilePath(identifier, false);
    const stats = await this.getStats(filePath);
    if (isContainerIdentifier(identifier) ? !stats.isDirectory() : !stats.isFile()) {
      throw new NotFoundHttpError();
    }
    await inFolder(filePath, async(): Promise<void> => {
      if (stats.isDirectory()) {
        await removeContainer(filePath);
      } else {
        await this.removeDescription(identifier);
        await rm(filePath, { force: true });
      }
      await syncFolder(dirname(filePath));
    });
  }

  /** Removes a container with all that is in it, whatever that is. Nothing happens where there is none. */
  public async removeTree(identifier: ResourceIdentifier): Promise<void> {
    const { filePath } = await this.resourceMapper.mapUrlToFilePath(identifier, false);
    await removeTree(filePath.replace(/\/+$/u, ''), this.drafts);
  }

  protected override async getStats(path: string): Promise<Stats> {
    let stats: Stats | undefined;
    try {
      stats = statSync(path, { throwIfNoEntry: false });
    } catch (error: unknown) {
      if ((error as NodeJS.ErrnoException).code === 'ENAMETOOLONG') {
        // No file can have this name.
        throw new NotFoundHttpError();
      }
      return super.getStats(path);
    }
    if (!stats) {
      throw new NotFoundHttpError();
    }
    return stats;
  }

  /** It is written anew, or removed, with the next resource of that name. */
  protected override async cleanupDanglingMetadata(): Promise<void> {
    // Nobody knows yet whether the caller may do anything here.
  }

  /** The file that it has until now, if that is another one, goes. */
  protected override async verifyExistingExtension({ filePath, identifier }: ResourceLink): Promise<void> {
    const { filePath: former } = await this.resourceMapper.mapUrlToFilePath(identifier, false);
    if (former === filePath || !isThere(former)) {
      return;
    }
    if (isFolder(former)) {
      throw new ConflictHttpError('There is a resource whose name differs by a slash only.');
    }
    await rm(former, { force: true });
  }

  /** Most resources have no description, and need none. */
  protected override async writeMetadataFile(link: ResourceLink, metadata: RepresentationMetadata): Promise<boolean> {
    const isNeeded = !isPlain(link, metadata);
    if (isNeeded && isFolder(await this.descriptionOf(link.identifier))) {
      throw new ConflictHttpError('There is a container where the description of this resource belongs.');
    }
    return isNeeded || await this.isDescribed(link.identifier) ? super.writeMetadataFile(link, metadata) : false;
  }

  /** Descriptions: mostly written again as they are, for a change of what they describe. */
  protected override async writeDataFile(path: string, data: Readable): Promise<void> {
    const bytes = await toBytes(data);
    if (!(await readIfThere(path))?.equals(bytes)) {
      await this.writeWhole(path, Readable.from([ bytes ]));
    }
  }

  private async isDescribed(identifier: ResourceIdentifier): Promise<boolean> {
    const path = await this.descriptionOf(identifier);
    return isThere(path) && !isFolder(path);
  }

  /** Told the type of descriptions, the mapper does not go through the folder: that of all pods takes long to read. */
  private async descriptionOf(identifier: ResourceIdentifier): Promise<string> {
    return (await this.resourceMapper.mapUrlToFilePath(identifier, true, 'text/turtle')).filePath;
  }

  private async removeDescription(identifier: ResourceIdentifier): Promise<void> {
    if (await this.isDescribed(identifier)) {
      await rm(await this.descriptionOf(identifier), { force: true });
    }
  }

  /** What shows of a resource itself, when there is a folder in the place of its description. */
  private async describedByFolder(identifier: ResourceIdentifier): Promise<RepresentationMetadata | undefined> {
    if (!isFolder(await this.descriptionOf(identifier))) {
      return;
    }
    const { contentType, filePath } = await this.resourceMapper.mapUrlToFilePath(identifier, false);
    const stats = await this.getStats(filePath);
    const isContainer = isContainerIdentifier(identifier);
    if (isContainer ? !stats.isDirectory() : !stats.isFile()) {
      throw new NotFoundHttpError();
    }
    return describe(identifier, stats, isContainer ? undefined : contentType);
  }

  /** Containers are made one in the other: none in one that is gone. */
  private async makeContainer(identifier: ResourceIdentifier, path: string): Promise<void> {
    if (isFolder(path)) {
      return;
    }
    if (joinFilePath(path, '/') === joinFilePath(this.root, '/')) {
      await makeFolder(path);
      return;
    }
    await this.gate?.requireOpen(identifier);
    try {
      await mkdir(path);
    } catch (error: unknown) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EEXIST' || !isFolder(path)) {
        throw error;
      }
    }
    await syncFolder(dirname(path.replace(/\/+$/u, '')));
  }

  /**
   * @param path - Of the file.
   * @param data - Its new content.
   * @param beforehand - To be done when the content is there, and before it takes its place.
   */
  private async writeWhole(path: string, data: Readable, beforehand?: () => Promise<void>): Promise<void> {
    const draft = joinFilePath(this.drafts, `temp-${randomUUID()}.txt`);
    try {
      await streamToDisk(draft, data);
      await beforehand?.();
      await rename(draft, path);
    } catch (error: unknown) {
      await rm(draft, { force: true });
      throw error;
    }
    await syncFolder(dirname(path));
  }
}

/** Does what needs the folder that a file is in, or else says that it is gone. */
async function inFolder(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error: unknown) {
    throw isMissing(error) && !isFolder(dirname(path.replace(/\/+$/u, ''))) ?
        new ConflictHttpError('The container is being removed.', { cause: error }) :
      error;
  }
}

/** Not where something else has been put into it meanwhile. */
async function removeContainer(path: string): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (!entry.isDirectory() && (!entry.isFile() || isAuxiliaryName(entry.name))) {
      await rm(joinFilePath(path, entry.name), { force: true });
    }
  }
  try {
    await rmdir(path);
  } catch (error: unknown) {
    const isNotEmpty = [ 'EEXIST', 'ENOTEMPTY' ].includes((error as NodeJS.ErrnoException).code ?? '');
    throw isNotEmpty ? new ConflictHttpError('Can only delete empty containers.', { cause: error }) : error;
  }
}

function isMissing(error: unknown): boolean {
  return [ 'ENOENT', 'ENOTDIR' ].includes((error as NodeJS.ErrnoException).code ?? '');
}

function isFolder(path: string): boolean {
  try {
    return stateOf(path)?.isDirectory() === true;
  } catch {
    return false;
  }
}

function describe(
  identifier: ResourceIdentifier,
  { mtime, size }: Stats,
  contentType?: string,
): RepresentationMetadata {
  const isContainer = isContainerIdentifier(identifier);
  const metadata = new RepresentationMetadata(identifier);
  addResourceMetadata(metadata, isContainer);
  updateModifiedDate(metadata, mtime);
  const seconds = toLiteral(Math.floor(mtime.getTime() / 1000), XSD.terms.integer);
  metadata.add(POSIX.terms.mtime, seconds, SOLID_META.terms.ResponseMetadata);
  if (!isContainer) {
    metadata.contentType = contentType;
    metadata.add(POSIX.terms.size, toLiteral(size, XSD.terms.integer), SOLID_META.terms.ResponseMetadata);
  }
  return metadata;
}

/** Whether all that is said of a resource shows from its file. */
function isPlain({ contentType, filePath }: ResourceLink, metadata: RepresentationMetadata): boolean {
  const isOfKnownType = contentType !== undefined || isContainerPath(filePath);
  return metadata.quads().every(({ predicate, object }): boolean =>
    (predicate.equals(RDF.terms.type) && plainTypes.has(object.value)) ||
    (predicate.equals(CONTENT_TYPE_TERM) && isOfKnownType) ||
    predicate.equals(DC.terms.modified));
}

/** Resolves when all of a stream is on the disk. */
async function streamToDisk(path: string, data: Readable): Promise<void> {
  await new Promise<void>((resolve, reject): void => {
    const file = createWriteStream(path, { flush: true });
    data.on('error', (error: Error): void => {
      file.destroy(error);
    });
    file.on('error', reject);
    // After this the promise is settled already when there was an error.
    file.on('close', resolve);
    data.pipe(file);
  });
}

async function toBytes(data: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of data) {
    chunks.push(Buffer.from(chunk as Buffer | string));
  }
  return Buffer.concat(chunks);
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error: unknown) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return undefined;
    }
    throw error;
  }
}
