import { PassThrough, Readable } from 'node:stream';
import { Parser, Writer } from 'n3';
import {
  addResourceMetadata,
  ConflictHttpError,
  CONTENT_TYPE_TERM,
  DC,
  guardStream,
  HttpError,
  IANA,
  isContainerIdentifier,
  LDP,
  NotFoundHttpError,
  pipeSafely,
  POSIX,
  RDF,
  RepresentationMetadata,
  SOLID_META,
  toLiteral,
  toNamedTerm,
  UnsupportedMediaTypeHttpError,
  updateModifiedDate,
  XSD,
} from '@solid/community-server';
import type {
  Guarded,
  Initializable,
  Representation,
  ResourceIdentifier,
} from '@solid/community-server';
import { isAuxiliaryName } from '../../platform/resourceNames';
import { RowConflict, RowSuperseded } from '../../platform/ResourceRows';
import type {
  FoundRow,
  ReadRow,
  ResourceRow,
  ResourceRows,
  RowConflictReason,
  RowMember,
  RowPlace,
} from '../../platform/ResourceRows';
import { listedType } from '../media/listedType';
import { prepareStored } from '../media/prepareStored';
import { tooBusy } from '../tooBusy';
import { isAsRead, noteRead } from '../versions/readDescriptions';
import { versionsSeen } from '../versions/versionsSeen';
import type { ContainerGate, TreeDataAccessor } from '../files/ContainerGate';
import type { AheadReader } from '../targets/UnlockedLooksStore';
import type { ListedMember, ListingState, ListingStorage } from '../versions/ListingStorage';
import type { PodDatabase } from './PodDatabase';
import { endAhead, findAhead, readingAhead } from './RowsAhead';

const conflicts: Record<RowConflictReason, string> = {
  nameTaken: 'There is a resource whose name differs by a slash only.',
  noParent: 'The container is being removed.',
  notEmpty: 'Can only delete empty containers.',
  tooLong: 'The path is too long to be stored here.',
};

/** A document that was read in one look-up. */
export interface WholeDocument extends Omit<ResourceRow, 'contentType'> {
  contentType: string;
  body: Buffer;
}

/** Resources of pods in the PostgreSQL database of the records, available to every node. */
export class PostgresDataAccessor implements TreeDataAccessor, ListingStorage, AheadReader, Initializable {
  private readonly records: PodDatabase;
  private readonly baseUrl: string;
  private readonly gate?: ContainerGate;

  /**
   * @param records - Records of this package, on PostgreSQL.
   * @param baseUrl - Base URL of the server.
   * @param gate - Knows which containers may no longer be created.
   */
  public constructor(records: PodDatabase, baseUrl: string, gate?: ContainerGate) {
    this.records = records;
    this.baseUrl = baseUrl.replace(/\/+$/u, '');
    this.gate = gate;
  }

  /** Creates the root container, and removes leftovers of broken uploads that are too old to be in progress. */
  public async initialize(): Promise<void> {
    const store = await this.store();
    await store.makeRoot();
    await store.sweep();
  }

  /** Finds a small document with its bytes in one look-up; needs no lock. */
  public async findWhole(identifier: ResourceIdentifier): Promise<WholeDocument | undefined> {
    const found = await (await this.store()).findWhole(this.pathOf(identifier));
    return found?.contentType === undefined ? undefined : { ...found, contentType: found.contentType };
  }

  /** Returns the content type and time of a document, from which entity tags are made. */
  public describeWhole(identifier: ResourceIdentifier, found: Omit<WholeDocument, 'body'>): RepresentationMetadata {
    const metadata = new RepresentationMetadata(identifier, found.contentType);
    if (found.metadata.includes(SOLID_META.contentTypeParameter)) {
      metadata.addQuads(new Parser({ format: 'N-Quads' }).parse(found.metadata));
    }
    prepareStored(metadata);
    updateModifiedDate(metadata, found.modified);
    return metadata;
  }

  /**
   * Runs work on resources as of one moment, with one look-up for all of them.
   *
   * @see {@link readingAhead}
   */
  public async readingAhead<T>(resources: ResourceIdentifier[], work: () => Promise<T>): Promise<T> {
    return readingAhead(resources.map((identifier): string => this.pathOf(identifier)), work);
  }

  public async hasRead(identifier: ResourceIdentifier): Promise<boolean> {
    return await this.findAhead(this.pathOf(identifier)) !== undefined;
  }

  public async canHandle({ binary }: Representation): Promise<void> {
    if (!binary) {
      throw new UnsupportedMediaTypeHttpError('Only binary data is supported.');
    }
  }

  public async getData(identifier: ResourceIdentifier): Promise<Guarded<Readable>> {
    const path = this.pathOf(identifier);
    const body = (await this.findAhead(path))?.body;
    const bytes = body ? [ body ] : await (await this.store()).open(path);
    if (!bytes) {
      throw new NotFoundHttpError();
    }
    return guardStream(Readable.from(bytes, { objectMode: false, highWaterMark: 1 }));
  }

  public async getMetadata(identifier: ResourceIdentifier): Promise<RepresentationMetadata> {
    const path = this.pathOf(identifier);
    const entry = await this.find(path);
    const isContainer = isContainerIdentifier(identifier);
    note(path, (isContainer ? entry?.metadata : entry?.revision) ?? null);
    if (!entry) {
      throw new NotFoundHttpError();
    }
    const metadata = new RepresentationMetadata(identifier);
    metadata.addQuads(new Parser({ format: 'N-Quads' }).parse(entry.metadata));
    prepareStored(metadata);
    describe(metadata, entry, isContainer);
    if (isContainer) {
      noteRead(metadata);
    }
    return metadata;
  }

  public async* getChildren(identifier: ResourceIdentifier): AsyncIterableIterator<RepresentationMetadata> {
    for await (const member of (await this.store()).listMembers(this.pathOf(identifier))) {
      yield await this.describeMember(member);
    }
  }

  public lists(): boolean {
    return true;
  }

  public async findListing(container: ResourceIdentifier, hidden: readonly string[]): Promise<ListingState> {
    return (await this.store()).findListing(this.pathOf(container), hidden);
  }

  public async* listMembers(container: ResourceIdentifier): AsyncIterableIterator<ListedMember> {
    const store = await this.store();
    for await (const { contentType, modified, path, size } of store.listMembers(this.pathOf(container))) {
      const identifier = { path: `${this.baseUrl}${path}` };
      yield {
        identifier,
        modified,
        size: isContainerIdentifier(identifier) ? undefined : size,
        mediaType: contentType && await listedType(path, contentType.toLowerCase()),
      };
    }
  }

  public async writeDocument(
    identifier: ResourceIdentifier,
    data: Guarded<Readable>,
    metadata: RepresentationMetadata,
  ): Promise<void> {
    const store = await this.storeToChange();
    let broken: Error | undefined;
    data.once('error', (error: Error): void => {
      broken = error;
    });
    // The stream may be a Proxy of the server's, which cannot be iterated.
    const bytes = pipeSafely(data, new PassThrough());
    try {
      const place = this.placeOf(identifier);
      await refusing(store.writeDocument(place, entryOf(metadata), bytes, take(place.path)));
    } catch (error: unknown) {
      throw broken ?? error;
    }
  }

  public async writeContainer(identifier: ResourceIdentifier, metadata: RepresentationMetadata): Promise<void> {
    const store = await this.storeToChange();
    const place = this.placeOf(identifier);
    const entry = entryOf(metadata);
    if (isAsRead(metadata) && await store.touch(place.path, entry)) {
      return;
    }
    if (takeSeen(place.path) === null) {
      await (place.parent === '/' && this.gate?.requireOpen(identifier));
      await refusing(store.makeContainer(place, entry));
      return;
    }
    // The database refuses a resource in a removed container.
    if (place.parent !== '/') {
      await refusing(store.writeContainer(place, entry));
    } else if (!await store.writeMetadata(place.path, entry)) {
      await this.gate?.requireOpen(identifier);
      await refusing(store.writeContainer(place, entry));
    }
  }

  /** Writes a description, which cannot change the type of a document. */
  public async writeMetadata(identifier: ResourceIdentifier, metadata: RepresentationMetadata): Promise<void> {
    const path = this.pathOf(identifier);
    const described = new RepresentationMetadata(metadata);
    if (!isContainerIdentifier(identifier)) {
      described.contentTypeObject = (await this.getMetadata(identifier)).contentTypeObject;
    }
    if (!await refusing((await this.storeToChange()).writeMetadata(path, entryOf(described), takeSeen(path)))) {
      throw new NotFoundHttpError();
    }
  }

  /**
   * Removes a resource and its access rules at the same moment; with a container, also the rules of missing members,
   * which the server does not count.
   */
  public async deleteResource(identifier: ResourceIdentifier): Promise<void> {
    const store = await this.storeToChange();
    const path = this.pathOf(identifier);
    const rules = isContainerIdentifier(identifier) ? await auxiliariesIn(store, path) : rulesOf(path);
    if (!await refusing(store.delete(path, rules, take(path)))) {
      throw new NotFoundHttpError();
    }
  }

  public async removeTree(container: ResourceIdentifier): Promise<void> {
    await (await this.storeToChange()).deleteTree(this.pathOf(container));
  }

  public async creating(_container: ResourceIdentifier, work: () => Promise<void>): Promise<void> {
    // A row is found by its key, however many there are.
    await work();
  }

  private async find(path: string): Promise<FoundRow | undefined> {
    const ahead = await this.findAhead(path);
    return ahead === undefined ? (await this.store()).find(path) : ahead ?? undefined;
  }

  /** Like {@link findAhead}, but ignores a document whose bytes would be of another moment. */
  private async findAhead(path: string): Promise<ReadRow | null | undefined> {
    const found = await findAhead(path, async(paths): Promise<Map<string, ReadRow>> =>
      (await this.store()).findTogether(paths));
    return found && !found.body && !path.endsWith('/') ? undefined : found;
  }

  /** Returns the rows for a change. */
  private async storeToChange(): Promise<ResourceRows> {
    endAhead();
    return this.store();
  }

  private async store(): Promise<ResourceRows> {
    return (await this.records.pods()).resources;
  }

  private placeOf(identifier: ResourceIdentifier): RowPlace {
    const path = this.pathOf(identifier);
    return path === '/' ? { path } : { path, parent: path.replace(/[^/]+\/?$/u, '') };
  }

  private pathOf({ path }: ResourceIdentifier): string {
    if (!path.startsWith(`${this.baseUrl}/`)) {
      throw new NotFoundHttpError();
    }
    return path.slice(this.baseUrl.length);
  }

  private async describeMember(member: RowMember): Promise<RepresentationMetadata> {
    const identifier = { path: `${this.baseUrl}${member.path}` };
    const metadata = new RepresentationMetadata(identifier);
    describe(metadata, member, isContainerIdentifier(identifier));
    if (member.contentType !== undefined) {
      const shown = await listedType(member.path, member.contentType.toLowerCase());
      metadata.add(RDF.terms.type, toNamedTerm(`${IANA.namespace}${shown}#Resource`));
    }
    return metadata;
  }
}

/** Returns the metadata that the store derives itself, as the server writes it. */
function describe(
  metadata: RepresentationMetadata,
  { modified, size }: Pick<ResourceRow, 'modified' | 'size'>,
  isContainer: boolean,
): void {
  addResourceMetadata(metadata, isContainer);
  updateModifiedDate(metadata, modified);
  const seconds = toLiteral(Math.floor(modified.getTime() / 1000), XSD.terms.integer);
  metadata.add(POSIX.terms.mtime, seconds, SOLID_META.terms.ResponseMetadata);
  if (!isContainer) {
    metadata.add(POSIX.terms.size, toLiteral(size, XSD.terms.integer), SOLID_META.terms.ResponseMetadata);
  }
}

/** Returns the metadata to store: all except those that {@link describe} adds again. */
function entryOf(metadata: RepresentationMetadata): Omit<ResourceRow, 'size'> {
  const kept = new RepresentationMetadata(metadata);
  for (const type of [ LDP.terms.Resource, LDP.terms.Container, LDP.terms.BasicContainer ]) {
    kept.remove(RDF.terms.type, type);
  }
  const modified = kept.get(DC.terms.modified)?.value;
  kept.removeAll(DC.terms.modified);
  if (isContainerIdentifier({ path: metadata.identifier.value })) {
    kept.removeAll(CONTENT_TYPE_TERM);
  }
  return {
    contentType: kept.contentType,
    metadata: new Writer({ format: 'N-Quads' }).quadsToString(kept.quads()),
    modified: modified === undefined ? new Date() : new Date(modified),
  };
}

/** Returns the paths of the access rules of a document, of any preset. */
function rulesOf(path: string): string[] {
  return isAuxiliaryName(path) ? [] : [ `${path}.acl`, `${path}.acr` ];
}

async function auxiliariesIn(store: ResourceRows, container: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { path } of store.listMembers(container)) {
    if (isAuxiliaryName(path.slice(container.length))) {
      found.push(path);
    }
  }
  return found;
}

/** Records the version that a change finds first. */
function note(path: string, version: number | string | null): void {
  const seen = versionsSeen();
  if (seen && !seen.has(path)) {
    seen.set(path, version);
  }
}

/** Takes the version on which a change is based. Returns it once, because the change makes another. */
function takeSeen(path: string): number | string | null | undefined {
  const seen = versionsSeen();
  const version = seen?.get(path);
  seen?.delete(path);
  return version;
}

/** Takes the revision of a document on which a change is based. Containers have none. */
function take(path: string): number | null | undefined {
  const version = takeSeen(path);
  return typeof version === 'string' || path.endsWith('/') ? undefined : version;
}

async function refusing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error: unknown) {
    if (error instanceof RowSuperseded) {
      throw tooBusy(`${error.message}.`);
    }
    if (error instanceof RowConflict && error.reason === 'tooLong') {
      throw new HttpError(414, 'UriTooLongHttpError', conflicts.tooLong, { cause: error });
    }
    if (error instanceof RowConflict) {
      throw new ConflictHttpError(conflicts[error.reason], { cause: error });
    }
    throw error;
  }
}
