import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, statSync } from 'node:fs';
import type { Dirent, Stats } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { Readable } from 'node:stream';
import {
  addResourceMetadata,
  ConflictHttpError,
  CONTENT_TYPE_TERM,
  DC,
  FileDataAccessor,
  HttpError,
  isContainerIdentifier,
  isContainerPath,
  joinFilePath,
  LDP,
  NotFoundHttpError,
  POSIX,
  RDF,
  RepresentationMetadata,
  serializeQuads,
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
import type { Quad } from '@rdfjs/types';
import { isAuxiliaryName } from '../../platform/resourceNames';
import { prepareStored } from '../media/prepareStored';
import { makeFolders, makeWritableFolderSync } from '../../platform/makeFolders';
import { RefusedSetting } from '../../platform/RefusedSetting';
import { maxNameBytes } from '../../platform/targets';
import type { FileState } from '../../platform/fileState';
import { isThere, stateOf, unlessOutage } from '../../platform/fileState';
import { isAsRead, noteRead } from '../versions/readDescriptions';
import { codeOf } from '../../platform/errors';
import { bytesOf } from '../../platform/bytesOf';
import type { ContainerGate } from './ContainerGate';
import { changeEntries, makeFolder } from './durableFiles';
import type { FileChange } from './FileChanges';
import { FileChanges } from './FileChanges';
import type { FolderIndex } from './FolderIndex';
import { statOf } from './FileListings';
import { IndexedFileMapper } from './IndexedFileMapper';
import { isRemovedWithSubject, subjectOf } from './jointRemovals';
import { immovable, removeTree } from './removeTree';

/** Metadata that files imply, so that descriptions do not contain it. */
const plainTypes = new Set([ LDP.Resource, LDP.Container, LDP.BasicContainer ].map(String));
/** Suffixes of access rules in all presets. */
const accessSuffixes = [ '.acl', '.acr' ];

/**
 * Pod resources in files, including descriptions. Files are complete at any time, and on disk when a write or removal
 * resolves: acknowledged writes survive the end of the process and a power cut.
 *
 * The server's own accessors guarantee neither. A description that a crash cut short makes its container unreadable; if
 * it describes the root of a pod, the pod is no longer a storage.
 *
 * Reading neither removes nor creates anything. A folder with the name of a description, which a server without this
 * package may have, is left as it is, and its resource counts as having no description.
 *
 * Existence is checked on the main thread: most files are absent, and handing the check over takes ten times as long.
 */
export class DurableFileDataAccessor extends FileDataAccessor implements AtomicDataAccessor, Initializable {
  private readonly root: string;
  private readonly drafts: string;
  private readonly changes: FileChanges;
  private readonly index?: FolderIndex;
  private readonly gate?: ContainerGate;

  /**
   * @param resourceMapper - Maps resources to files.
   * @param rootFilePath - Root of the pods.
   * @param tempFilePath - Folder below it for files that are being written. Another process must not share it when it
   * can start later.
   * @param gate - Knows which containers may no longer be created.
   *
   * @throws RefusedSetting when files cannot be made there.
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
    this.index = resourceMapper instanceof IndexedFileMapper ? resourceMapper.index : undefined;
    this.changes = new FileChanges(this.drafts, this.index);
    requireFolder(rootFilePath, this.drafts);
  }

  /** Completes changes that a crash interrupted, and removes half-written files, which may contain personal data. */
  public async initialize(): Promise<void> {
    await this.changes.settleAll();
    await rm(this.drafts, { recursive: true, force: true });
    await makeFolders(this.drafts);
  }

  /** Call when no other server uses the files. Then the mapper need not list a folder after each change. */
  public trustOwnChanges(): void {
    this.index?.trustOwnChanges();
  }

  public override async writeDocument(
    identifier: ResourceIdentifier,
    data: Guarded<Readable>,
    metadata: RepresentationMetadata,
  ): Promise<void> {
    const link = await this.resourceMapper.mapUrlToFilePath(identifier, false, metadata.contentType);
    requireFitting(link.filePath);
    await inFolder(link.filePath, async(): Promise<void> => {
      try {
        const change = await this.prepare(link, data, metadata);
        await this.changes.make(subjectOf(identifier).path, change);
      } catch (error: unknown) {
        await this.leaveNoDescription(link);
        throw error;
      }
    });
  }

  public override async writeContainer(
    identifier: ResourceIdentifier,
    metadata: RepresentationMetadata,
  ): Promise<void> {
    const link = await this.resourceMapper.mapUrlToFilePath(identifier, false);
    await inFolder(await this.descriptionOf(identifier), async(): Promise<void> => {
      const isNew = !isFolder(link.filePath);
      try {
        await this.makeContainer(identifier, link.filePath);
        if (isNew || !isAsRead(metadata)) {
          await this.writeDescription(link, metadata);
        }
      } catch (error: unknown) {
        if (isNew) {
          await removeUnused(link.filePath);
        }
        throw error;
      }
    });
  }

  /** Writes a description, which cannot change the type of a document. */
  public override async writeMetadata(
    identifier: ResourceIdentifier,
    metadata: RepresentationMetadata,
  ): Promise<void> {
    const link = await this.resourceMapper.mapUrlToFilePath(identifier, false);
    const described = new RepresentationMetadata(metadata);
    if (!isContainerIdentifier(identifier)) {
      described.contentTypeObject = (await super.getMetadata(identifier)).contentTypeObject;
    }
    await inFolder(await this.descriptionOf(identifier), async(): Promise<void> =>
      this.writeDescription(link, described));
  }

  public override async getMetadata(identifier: ResourceIdentifier): Promise<RepresentationMetadata> {
    await this.changes.settle(subjectOf(identifier).path);
    try {
      const metadata = await this.describedByFolder(identifier) ?? await super.getMetadata(identifier);
      prepareStored(metadata);
      if (isContainerIdentifier(identifier)) {
        noteRead(metadata);
      }
      return metadata;
    } catch (error: unknown) {
      throw isMissing(error) ? new NotFoundHttpError('', { cause: error }) : error;
    }
  }

  /** Returns the bytes of a document once the first are read: a failing disk is an outage, not a cut response. */
  public override async getData(identifier: ResourceIdentifier): Promise<Guarded<Readable>> {
    const data = await super.getData(identifier);
    // Also emitted at the end of an empty document.
    await once(data, 'readable');
    return data;
  }

  /**
   * Lists members, including containers that have the name of a description: they can be read and removed. Ends with an
   * error when one cannot be examined.
   */
  public override async* getChildren(identifier: ResourceIdentifier): AsyncIterableIterator<RepresentationMetadata> {
    try {
      yield* super.getChildren(identifier);
      const { filePath } = await this.resourceMapper.mapUrlToFilePath(identifier, false);
      for (const entry of await readdir(filePath, { withFileTypes: true })) {
        // The server's own listing has left it out if this fails.
        statOf(joinFilePath(filePath, entry.name));
        if (entry.isDirectory() && entry.name.endsWith('.meta')) {
          yield await this.getMetadata({ path: `${identifier.path}${encodeURIComponent(entry.name)}/` });
        }
      }
    } catch (error: unknown) {
      throw isMissing(error) ? new NotFoundHttpError('', { cause: error }) : error;
    }
  }

  /**
   * Removes a resource together with its description and access rules: at no moment, nor after a crash, does it exist
   * without its access rules. A container is also removed with leftover descriptions and rules of members; anything
   * else in it prevents the removal.
   */
  public override async deleteResource(identifier: ResourceIdentifier): Promise<void> {
    const { filePath } = await this.resourceMapper.mapUrlToFilePath(identifier, false);
    const stats = await this.getStats(filePath);
    if (isContainerIdentifier(identifier) ? !stats.isDirectory() : !stats.isFile()) {
      throw new NotFoundHttpError();
    }
    if (isRemovedWithSubject(identifier)) {
      return;
    }
    await inFolder(filePath, async(): Promise<void> => {
      if (stats.isDirectory()) {
        await this.removeContainer(filePath.replace(/\/+$/u, ''));
      } else {
        const removals = [ filePath, ...await this.besides(identifier) ];
        await this.changes.make(identifier.path, { renames: [], removals });
      }
    });
  }

  /** Removes a container with everything in it. Does nothing when it is missing. */
  public async removeTree(identifier: ResourceIdentifier): Promise<void> {
    const { filePath } = await this.resourceMapper.mapUrlToFilePath(identifier, false);
    await removeTree(filePath.replace(/\/+$/u, ''), this.drafts);
  }

  /** Runs work that creates a container with a random name, as {@link FolderIndex.creating} does. */
  public async creating(identifier: ResourceIdentifier, work: () => Promise<void>): Promise<void> {
    const { filePath } = await this.resourceMapper.mapUrlToFilePath(identifier, false);
    await (this.index ? this.index.creating(filePath.replace(/\/+$/u, ''), work) : work());
  }

  protected override async getStats(path: string): Promise<Stats> {
    let stats: Stats | undefined;
    try {
      stats = statSync(path, { throwIfNoEntry: false });
    } catch (error: unknown) {
      if ([ 'ENAMETOOLONG', 'ENOTDIR' ].includes(codeOf(error))) {
        // No file can have this name, or none below another file.
        throw new NotFoundHttpError();
      }
      return super.getStats(path);
    }
    if (!stats) {
      throw new NotFoundHttpError();
    }
    return stats;
  }

  /** Does nothing: such a description is overwritten, or removed, with the next resource of that name. */
  protected override async cleanupDanglingMetadata(): Promise<void> {
    // It is not known yet whether the caller may do anything here.
  }

  /** Returns the current file of a resource, if its name changes. */
  private async formerOf({ filePath, identifier }: ResourceLink): Promise<string[]> {
    const { filePath: former } = await this.resourceMapper.mapUrlToFilePath(identifier, false);
    if (former === filePath || !isThere(former)) {
      return [];
    }
    if (isFolder(former)) {
      throw new ConflictHttpError('There is a resource whose name differs by a slash only.');
    }
    return [ former ];
  }

  /** Writes drafts of a document and its description. */
  private async prepare(
    link: ResourceLink,
    data: Guarded<Readable>,
    metadata: RepresentationMetadata,
  ): Promise<FileChange> {
    const drafts: string[] = [];
    try {
      const draft = await this.draft(data, drafts);
      return await this.changeOf(link, draft, await this.changeOfDescription(link, metadata), drafts);
    } catch (error: unknown) {
      await removeFiles(drafts);
      throw error;
    }
  }

  /** Returns the change of a document and its description. The old files stay until all new ones exist. */
  private async changeOf(
    link: ResourceLink,
    draft: string,
    description: DescriptionChange | undefined,
    drafts: string[],
  ): Promise<FileChange> {
    const former = await this.formerOf(link);
    const change: FileChange = { renames: [[ draft, link.filePath ]], removals: former };
    if (description?.bytes && former.length === 0 && !isThere(link.filePath) && !isThere(description.file)) {
      // Without a note: the description of a missing document is removed or overwritten.
      await this.writeWhole(description.file, description.bytes);
    } else if (description?.bytes) {
      const described = await this.draft(Readable.from([ description.bytes ]), drafts);
      change.renames.push([ described, description.file ]);
    } else if (description) {
      change.removals.push(description.file);
    }
    return change;
  }

  /** Removes the description of a document that is missing because its first version could not be written. */
  private async leaveNoDescription(link: ResourceLink): Promise<void> {
    const file = await this.descriptionOf(link.identifier);
    if (!isThere(link.filePath) && (await this.formerOf(link)).length === 0 && isFile(file)) {
      await rm(file, { force: true });
    }
  }

  private async writeDescription(link: ResourceLink, metadata: RepresentationMetadata): Promise<void> {
    const change = await this.changeOfDescription(link, metadata);
    if (change?.bytes) {
      await this.writeWhole(change.file, change.bytes);
    } else if (change) {
      await this.change(change.file, async(): Promise<void> => rm(change.file, { force: true }));
    }
  }

  /** Returns the change of a description, if any: most descriptions stay the same, and most resources need none. */
  private async changeOfDescription(
    link: ResourceLink,
    metadata: RepresentationMetadata,
  ): Promise<DescriptionChange | undefined> {
    const file = await this.descriptionOf(link.identifier);
    const quads = storedStatements(link, metadata, await this.typeShownBy(link));
    if (quads.length === 0) {
      return isThere(file) && !isFolder(file) ? { file } : undefined;
    }
    if (isFolder(file)) {
      throw new ConflictHttpError('There is a container where the description of this resource belongs.');
    }
    requireFitting(file);
    const bytes = await toBytes(serializeQuads(quads, 'text/turtle'));
    return (await readIfThere(file))?.equals(bytes) ? undefined : { file, bytes };
  }

  /** Returns the media type implied by the name of a file; several types can have the same extension. */
  private async typeShownBy({ filePath }: ResourceLink): Promise<string | undefined> {
    return showsType(filePath) && !isContainerPath(filePath) ?
        (await this.resourceMapper.mapFilePathToUrl(filePath, false)).contentType :
      undefined;
  }

  /** Removes a folder. A mount point cannot be moved away as a whole, so it stays, with its access rules. */
  private async removeContainer(path: string): Promise<void> {
    try {
      if (!await this.changes.removeFolder(path, isAuxiliary)) {
        throw new ConflictHttpError('Can only delete empty containers.');
      }
    } catch (error: unknown) {
      throw immovable.has(codeOf(error)) ?
          new ConflictHttpError('The container is on a file system of its own.', { cause: error }) :
        error;
    }
  }

  /** Returns the files of the description and the access rules of a document, of any preset. */
  private async besides(identifier: ResourceIdentifier): Promise<string[]> {
    if (isAuxiliaryName(identifier.path)) {
      return [];
    }
    const files = [ await this.descriptionOf(identifier) ];
    for (const suffix of accessSuffixes) {
      const rules = await this.fileOf({ path: identifier.path + suffix });
      files.push(...rules === undefined ? [] : [ rules ]);
    }
    return files.filter((file): boolean => isFile(file));
  }

  /** Returns undefined for a name that no file can have. */
  private async fileOf(identifier: ResourceIdentifier): Promise<string | undefined> {
    try {
      return (await this.resourceMapper.mapUrlToFilePath(identifier, false)).filePath;
    } catch (error: unknown) {
      if (NotFoundHttpError.isInstance(error)) {
        return undefined;
      }
      throw error;
    }
  }

  /**
   * Returns the file of a description. Passing its type keeps the mapper from listing the folder, which takes long for
   * the folder of all pods.
   */
  private async descriptionOf(identifier: ResourceIdentifier): Promise<string> {
    return (await this.resourceMapper.mapUrlToFilePath(identifier, true, 'text/turtle')).filePath;
  }

  /** Returns the metadata of the resource itself when a folder is in the place of its description. */
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

  /** Creates a container inside its parent, which must exist. */
  private async makeContainer(identifier: ResourceIdentifier, path: string): Promise<void> {
    if (isFolder(path)) {
      return;
    }
    if (joinFilePath(path, '/') === joinFilePath(this.root, '/')) {
      await makeFolder(path);
      return;
    }
    await this.gate?.requireOpen(identifier);
    await this.change(path.replace(/\/+$/u, ''), async(): Promise<void> => {
      try {
        await mkdir(path);
      } catch (error: unknown) {
        if (codeOf(error) !== 'EEXIST' || !isFolder(path)) {
          throw error;
        }
      }
    });
  }

  private async writeWhole(path: string, bytes: Buffer): Promise<void> {
    const drafts: string[] = [];
    try {
      const draft = await this.draft(Readable.from([ bytes ]), drafts);
      await this.change(path, async(): Promise<void> => rename(draft, path));
    } catch (error: unknown) {
      await removeFiles(drafts);
      throw error;
    }
  }

  /** Makes a change of one entry of a folder, on disk when this resolves. */
  private async change(path: string, work: () => Promise<void>): Promise<void> {
    await changeEntries([ path ], async(): Promise<void> => this.changes.announce([ path ], work));
  }

  /** Records a draft, then writes it; the file is on disk when this resolves. */
  private async draft(data: Readable, drafts: string[]): Promise<string> {
    const draft = joinFilePath(this.drafts, `temp-${randomUUID()}.txt`);
    drafts.push(draft);
    await streamToDisk(draft, data);
    return draft;
  }
}

/** A description to write, or to remove when there are no bytes. */
interface DescriptionChange {
  file: string;
  bytes?: Buffer;
}

async function removeFiles(files: string[]): Promise<void> {
  await Promise.all(files.map(async(file): Promise<void> => rm(file, { force: true })));
}

/** Removes a new folder in which nobody has made anything yet. */
async function removeUnused(path: string): Promise<void> {
  try {
    await rmdir(path);
  } catch (error: unknown) {
    if (![ 'EEXIST', 'ENOENT', 'ENOTEMPTY' ].includes(codeOf(error))) {
      throw error;
    }
  }
}

/** Runs work that needs the folder of a file; fails when the folder was removed, even if there is a new one by now. */
async function inFolder(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error: unknown) {
    throw isMissing(error) && (isOfRename(error) || !isFolder(dirname(path.replace(/\/+$/u, '')))) ?
        new ConflictHttpError('The container is being removed.', { cause: error }) :
      error;
  }
}

/** @throws RefusedSetting when the folder for drafts cannot be made below the root, or written. */
function requireFolder(root: string, drafts: string): void {
  try {
    makeWritableFolderSync(drafts);
  } catch (cause: unknown) {
    const reason = `files cannot be written in the folder ${root} (${codeOf(cause)})`;
    throw new RefusedSetting(`--rootFilePath: ${reason}`, { cause });
  }
}

/**
 * Checks for files that are removed with their container: descriptions, access rules, and entries that are not files.
 */
function isAuxiliary(entry: Dirent): boolean {
  return !entry.isDirectory() && (!entry.isFile() || isAuxiliaryName(entry.name));
}

function isMissing(error: unknown): boolean {
  return [ 'ENOENT', 'ENOTDIR' ].includes(codeOf(error));
}

/** Checks for a draft that could not be moved into place. */
function isOfRename(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).syscall === 'rename';
}

function isFolder(path: string): boolean {
  return unlessOutage((): FileState | undefined => stateOf(path))?.isDirectory() === true;
}

function isFile(path: string): boolean {
  return unlessOutage((): FileState | undefined => stateOf(path))?.isFile() === true;
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

/** Returns the statements about a resource that its file does not imply. */
function storedStatements({ filePath }: ResourceLink, metadata: RepresentationMetadata, shownType?: string): Quad[] {
  const isToldType = isContainerPath(filePath) || shownType === metadata.contentType;
  return metadata.quads().filter(({ predicate, object }): boolean =>
    !(predicate.equals(RDF.terms.type) && plainTypes.has(object.value)) &&
    !(predicate.equals(CONTENT_TYPE_TERM) && isToldType) &&
    !predicate.equals(DC.terms.modified));
}

/** Checks whether the name of a file implies its type: types without an extension all have the same ending. */
function showsType(filePath: string): boolean {
  return !filePath.endsWith('.unknown');
}

/** @throws HttpError when no file can have this name. */
function requireFitting(filePath: string): void {
  if (Buffer.byteLength(basename(filePath)) > maxNameBytes) {
    throw new HttpError(414, 'UriTooLongHttpError', 'The name is too long for a resource of this type.');
  }
}

/** Resolves when the whole stream is on disk. */
async function streamToDisk(path: string, data: Readable): Promise<void> {
  await new Promise<void>((resolve, reject): void => {
    const file = createWriteStream(path, { flush: true });
    data.on('error', (error: Error): void => {
      file.destroy(error);
    });
    file.on('error', reject);
    // After an error the promise is settled already.
    file.on('close', resolve);
    data.pipe(file);
  });
}

async function toBytes(data: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of data) {
    chunks.push(bytesOf(chunk));
  }
  return Buffer.concat(chunks);
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error: unknown) {
    if (codeOf(error) === 'ENOENT') {
      return undefined;
    }
    throw error;
  }
}
