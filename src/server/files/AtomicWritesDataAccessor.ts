import {
  DataAccessorBasedStore,
  FileDataAccessor,
  isContainerIdentifier,
  joinFilePath,
  NotFoundHttpError,
  PassthroughDataAccessor,
} from '@solid/community-server';
import type {
  ClusterManager,
  DataAccessor,
  FileIdentifierMapper,
  Initializable,
  RepresentationMetadata,
  ResourceIdentifier,
  ResourceStore,
} from '@solid/community-server';
import { systemClock } from '../../platform/clock';
import { isThere } from '../../platform/fileState';
import { opened } from '../../platform/opened';
import type { ListedMember, ListingState, ListingStorage } from '../versions/ListingStorage';
import type { ContainerGate, TreeDataAccessor } from './ContainerGate';
import { DurableFileDataAccessor } from './DurableFileDataAccessor';
import { FileListings } from './FileListings';
import { internalFolder } from './internalFolder';

/** Members of the server's backend that are missing in its type. */
interface Backend {
  accessor: unknown;
}

/**
 * The server's files of resources, replaced atomically: nobody reads half an upload, and an interrupted upload changes
 * nothing. {@link DurableFileDataAccessor} replaces the server's plain accessor of files, which empties a file before
 * it writes. Any other accessor, such as that of a server with quotas, is atomic already and is kept.
 */
export class AtomicWritesDataAccessor extends PassthroughDataAccessor
  implements Initializable, ListingStorage, TreeDataAccessor {
  private readonly own: DurableFileDataAccessor;
  private readonly listings: FileListings;
  private readonly internalRoot: string;
  private readonly mapper: FileIdentifierMapper;
  private readonly gate?: ContainerGate;
  private readonly clusterManager?: ClusterManager;

  /**
   * @param source - The server's own accessor.
   * @param resourceMapper - Maps resources to the server's files.
   * @param rootFilePath - Root of the pods.
   * @param tempFilePath - Folder below it for unfinished files.
   * @param gate - Knows which containers may no longer be created.
   * @param clusterManager - Knows whether other processes change the files. Default: they may.
   */
  public constructor(
    source: DataAccessor,
    resourceMapper: FileIdentifierMapper,
    rootFilePath: string,
    tempFilePath: string,
    gate?: ContainerGate,
    clusterManager?: ClusterManager,
  ) {
    const own = new DurableFileDataAccessor(resourceMapper, rootFilePath, tempFilePath, gate);
    super(source.constructor === FileDataAccessor ? own : source);
    this.own = own;
    this.listings = new FileListings(resourceMapper, systemClock);
    this.internalRoot = joinFilePath(rootFilePath, internalFolder);
    this.mapper = resourceMapper;
    this.gate = gate;
    this.clusterManager = clusterManager;
  }

  /**
   * Refuses missing documents first: for these, the server's own accessors would remove a file in the place of the
   * description.
   */
  public override async getMetadata(identifier: ResourceIdentifier): Promise<RepresentationMetadata> {
    if (this.accessor !== this.own && !isContainerIdentifier(identifier) && !await this.hasFile(identifier)) {
      throw new NotFoundHttpError();
    }
    return super.getMetadata(identifier);
  }

  public override async writeContainer(
    identifier: ResourceIdentifier,
    metadata: RepresentationMetadata,
  ): Promise<void> {
    if (this.accessor !== this.own && !await this.hasFile(identifier)) {
      await this.gate?.requireOpen(identifier);
    }
    await super.writeContainer(identifier, metadata);
  }

  public async removeTree(identifier: ResourceIdentifier): Promise<void> {
    await this.own.removeTree(identifier);
  }

  public async creating(identifier: ResourceIdentifier, work: () => Promise<void>): Promise<void> {
    await this.own.creating(identifier, work);
  }

  /**
   * Removes the files of uploads that a crash interrupted. Call in one process, before any request is served; servers
   * that share the files must not call it. So a single process that calls it may assume that no other server changes
   * the files.
   */
  public async initialize(): Promise<void> {
    await this.own.initialize();
    if (this.accessor === this.own && this.clusterManager?.isSingleThreaded()) {
      this.own.trustOwnChanges();
    }
  }

  /** Checks whether a backend stores all its resources here: a routing backend may store some elsewhere. */
  public isOf(backend: ResourceStore): boolean {
    return backend instanceof DataAccessorBasedStore && opened<Backend>(backend).accessor === this;
  }

  public lists(backend: ResourceStore): boolean {
    return this.accessor === this.own && this.isOf(backend);
  }

  /** Returns undefined for the server's own containers, because the server needs all of their members at once. */
  public async findListing(
    container: ResourceIdentifier,
    hidden: readonly string[],
  ): Promise<ListingState | undefined> {
    const { filePath } = await this.mapper.mapUrlToFilePath(container, false);
    return filePath.startsWith(this.internalRoot) ? undefined : this.listings.findState(container, hidden);
  }

  public listMembers(container: ResourceIdentifier): AsyncIterable<ListedMember> {
    return this.listings.listMembers(container);
  }

  private async hasFile(identifier: ResourceIdentifier): Promise<boolean> {
    return isThere((await this.mapper.mapUrlToFilePath(identifier, false)).filePath);
  }
}
