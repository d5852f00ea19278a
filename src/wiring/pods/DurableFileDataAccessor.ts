import { randomUUID } from 'node:crypto';
import { createWriteStream, mkdirSync, statSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import {
  CONTENT_TYPE_TERM,
  DC,
  FileDataAccessor,
  isContainerPath,
  joinFilePath,
  LDP,
  NotFoundHttpError,
  RDF,
} from '@solid/community-server';
import type {
  AtomicDataAccessor,
  FileIdentifierMapper,
  Guarded,
  Initializable,
  RepresentationMetadata,
  ResourceIdentifier,
  ResourceLink,
} from '@solid/community-server';
import { makeFolder, syncFolder } from './durableFiles';
import { isThere } from './fileState';

/** What files say of themselves, and no description has to. */
const plainTypes = new Set([ LDP.Resource, LDP.Container, LDP.BasicContainer ].map(String));

/**
 * Pod resources in files that are whole at any moment, descriptions included, and on the disk when a write or removal
 * resolves: what was answered outlives the process and a power cut.
 *
 * The server's own accessors leave both to the operating system. A description that a crash cut short makes its
 * container unreadable, and with the description of a pod's root the pod is no storage any more.
 *
 * Whether a file is there is asked without another thread: most are not, and handing it over takes ten times as long.
 */
export class DurableFileDataAccessor extends FileDataAccessor implements AtomicDataAccessor, Initializable {
  private readonly drafts: string;

  /**
   * @param resourceMapper - Tells in which file a resource is.
   * @param rootFilePath - Root of the pods.
   * @param tempFilePath - Folder below it for files that are being written. Another process must not share it when it
   * can start later.
   */
  public constructor(resourceMapper: FileIdentifierMapper, rootFilePath: string, tempFilePath: string) {
    super(resourceMapper);
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
    await this.writeWhole(link.filePath, data, async(): Promise<void> => this.verifyExistingExtension(link));
    await this.writeMetadataFile(link, metadata);
  }

  public override async writeContainer(
    identifier: ResourceIdentifier,
    metadata: RepresentationMetadata,
  ): Promise<void> {
    const link = await this.resourceMapper.mapUrlToFilePath(identifier, false);
    await makeFolder(link.filePath);
    await this.writeMetadataFile(link, metadata);
  }

  public override async deleteResource(identifier: ResourceIdentifier): Promise<void> {
    const { filePath } = await this.resourceMapper.mapUrlToFilePath(identifier, false);
    await super.deleteResource(identifier);
    await syncFolder(dirname(filePath));
  }

  protected override async getStats(path: string): Promise<Stats> {
    let stats: Stats | undefined;
    try {
      stats = statSync(path, { throwIfNoEntry: false });
    } catch {
      return super.getStats(path);
    }
    if (!stats) {
      throw new NotFoundHttpError();
    }
    return stats;
  }

  protected override async cleanupDanglingMetadata(identifier: ResourceIdentifier): Promise<void> {
    if (await this.isDescribed(identifier)) {
      await super.cleanupDanglingMetadata(identifier);
    }
  }

  /** The file that it has until now, if that is another one, goes. */
  protected override async verifyExistingExtension({ filePath, identifier }: ResourceLink): Promise<void> {
    const { filePath: former } = await this.resourceMapper.mapUrlToFilePath(identifier, false);
    if (former !== filePath && isThere(former)) {
      await rm(former, { recursive: true, force: true });
    }
  }

  /** Most resources have no description, and need none. */
  protected override async writeMetadataFile(link: ResourceLink, metadata: RepresentationMetadata): Promise<boolean> {
    return !isPlain(link, metadata) || await this.isDescribed(link.identifier) ?
        super.writeMetadataFile(link, metadata) :
      false;
  }

  /** Descriptions: mostly written again as they are, for a change of what they describe. */
  protected override async writeDataFile(path: string, data: Readable): Promise<void> {
    const bytes = await toBytes(data);
    if (!(await readIfThere(path))?.equals(bytes)) {
      await this.writeWhole(path, Readable.from([ bytes ]));
    }
  }

  /** Told the type of descriptions, the mapper does not go through the folder: that of all pods takes long to read. */
  private async isDescribed(identifier: ResourceIdentifier): Promise<boolean> {
    return isThere((await this.resourceMapper.mapUrlToFilePath(identifier, true, 'text/turtle')).filePath);
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
