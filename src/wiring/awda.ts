import { readdir, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import {
  AtomicFileDataAccessor,
  DataAccessorBasedStore,
  FileDataAccessor,
  joinFilePath,
  PassthroughDataAccessor,
} from '@solid/community-server';
import type {
  DataAccessor,
  FileIdentifierMapper,
  Guarded,
  Initializable,
  RepresentationMetadata,
  ResourceIdentifier,
  ResourceStore,
} from '@solid/community-server';

/** What the server's backend does not tell of itself. */
interface Backend {
  accessor: unknown;
}

/**
 * The server's files of resources, replaced whole: nobody reads half an upload, and one that breaks off leaves what was
 * there. The server's plain accessor of files empties a file before it writes; any other, such as that of a server with
 * quotas, is left to do its own, which is atomic already.
 */
export class AtomicWritesDataAccessor extends PassthroughDataAccessor implements Initializable {
  private readonly writer: DataAccessor;
  private readonly folder: string;

  /**
   * @param source - The server's own accessor.
   * @param resourceMapper - Tells in which file the server keeps a resource.
   * @param rootFilePath - Root of the pods.
   * @param tempFilePath - Folder below it, of files that are not whole yet.
   */
  public constructor(
    source: DataAccessor,
    resourceMapper: FileIdentifierMapper,
    rootFilePath: string,
    tempFilePath: string,
  ) {
    super(source);
    this.folder = joinFilePath(rootFilePath, tempFilePath);
    const isPlain = source.constructor === FileDataAccessor;
    this.writer = isPlain ? new AtomicFileDataAccessor(resourceMapper, rootFilePath, tempFilePath) : source;
  }

  /** Removes what uploads left that a crash broke off. For one process, before any is served. */
  public async initialize(): Promise<void> {
    for (const name of await namesIn(this.folder)) {
      await rm(joinFilePath(this.folder, name), { force: true });
    }
  }

  /** Whether a backend keeps all its resources here: one that routes them may keep some elsewhere. */
  public isOf(backend: ResourceStore): boolean {
    return backend instanceof DataAccessorBasedStore && (backend as unknown as Backend).accessor === this;
  }

  public override async writeDocument(
    identifier: ResourceIdentifier,
    data: Guarded<Readable>,
    metadata: RepresentationMetadata,
  ): Promise<void> {
    await this.writer.writeDocument(identifier, data, metadata);
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch {
    return [];
  }
}
