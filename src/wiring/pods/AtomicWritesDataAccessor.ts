import { DataAccessorBasedStore, FileDataAccessor, PassthroughDataAccessor } from '@solid/community-server';
import type { DataAccessor, FileIdentifierMapper, Initializable, ResourceStore } from '@solid/community-server';
import { DurableFileDataAccessor } from './DurableFileDataAccessor';

/** What the server's backend does not tell of itself. */
interface Backend {
  accessor: unknown;
}

/**
 * The server's files of resources, replaced whole: nobody reads half an upload, and one that breaks off leaves what was
 * there. The server's plain accessor of files empties a file before it writes, so {@link DurableFileDataAccessor} takes
 * its place; any other, such as that of a server with quotas, is left to do its own, which is atomic already.
 */
export class AtomicWritesDataAccessor extends PassthroughDataAccessor implements Initializable {
  private readonly own: DurableFileDataAccessor;

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
    const own = new DurableFileDataAccessor(resourceMapper, rootFilePath, tempFilePath);
    super(source.constructor === FileDataAccessor ? own : source);
    this.own = own;
  }

  /** Removes what uploads left that a crash broke off. For one process, before any is served. */
  public async initialize(): Promise<void> {
    await this.own.initialize();
  }

  /** Whether a backend keeps all its resources here: one that routes them may keep some elsewhere. */
  public isOf(backend: ResourceStore): boolean {
    return backend instanceof DataAccessorBasedStore && (backend as unknown as Backend).accessor === this;
  }
}
