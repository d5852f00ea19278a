import { dirname } from 'node:path';
import {
  BasicRepresentation,
  guardedStreamFrom,
  INTERNAL_QUADS,
  isContainerIdentifier,
  NotFoundHttpError,
  PassthroughStore,
} from '@solid/community-server';
import type {
  AuxiliaryIdentifierStrategy,
  Conditions,
  FileIdentifierMapper,
  Representation,
  RepresentationPreferences,
  ResourceIdentifier,
  ResourceStore,
} from '@solid/community-server';
import type { Quad } from '@rdfjs/types';
import { giveWay, isOverdue } from '../../platform/giveWay';
import { isAccessDocument } from '../access/isAccessDocument';
import { collectQuads } from '../guarded/quadsOf';
import type { FileState } from '../../platform/fileState';
import { isQuiet, isSameState, isSettled, stateOf } from '../../platform/fileState';
import type { AtomicWritesDataAccessor } from './AtomicWritesDataAccessor';

/** An access control document as read, and the state of its file then. */
interface KnownRules {
  state: FileState;
  quads: Quad[];
}

const maxQuads = 20_000;

/**
 * Shortens the two most frequent look-ups of access decisions, the existence of a resource and the content of an access
 * control document, by checking the file. The store behind it locks, reads and parses for either.
 *
 * An access control document is read by the store, under its lock, whenever its file has changed. A missing document
 * counts as missing if its folder has not changed for a while. Otherwise the store decides, because the document may be
 * about to be replaced. Everything else is passed to the store.
 */
export class ShortcutStore extends PassthroughStore {
  private readonly mapper: FileIdentifierMapper;
  private readonly metadataStrategy: AuxiliaryIdentifierStrategy;
  private readonly isOnFiles: boolean;
  /** Cached documents by URL, oldest first. */
  private readonly known = new Map<string, KnownRules>();
  private quads = 0;

  /**
   * @param source - The store behind it.
   * @param mapper - Maps resources to the server's files.
   * @param metadataStrategy - Recognises descriptions of resources.
   * @param accessor - Files of resources.
   * @param backend - The server's store at the bottom of the stack. There are no shortcuts unless it stores files only.
   */
  public constructor(
    source: ResourceStore,
    mapper: FileIdentifierMapper,
    metadataStrategy: AuxiliaryIdentifierStrategy,
    accessor: AtomicWritesDataAccessor,
    backend: ResourceStore,
  ) {
    super(source);
    this.isOnFiles = accessor.isOf(backend);
    this.mapper = mapper;
    this.metadataStrategy = metadataStrategy;
  }

  public override async hasResource(identifier: ResourceIdentifier): Promise<boolean> {
    return (this.isOnFiles ? await this.isThere(identifier) : undefined) ?? super.hasResource(identifier);
  }

  public override async getRepresentation(
    identifier: ResourceIdentifier,
    preferences: RepresentationPreferences,
    conditions?: Conditions,
  ): Promise<Representation> {
    return this.isOnFiles && !conditions && isAccessDocument(identifier) && isForQuads(preferences) ?
        this.getAccessDocument(identifier, preferences) :
        super.getRepresentation(identifier, preferences, conditions);
  }

  /** Checks the existence of a resource; undefined when only the store knows. */
  private async isThere(identifier: ResourceIdentifier): Promise<boolean | undefined> {
    if (isOverdue()) {
      await giveWay();
    }
    try {
      const subject = this.metadataStrategy.isAuxiliaryIdentifier(identifier) ?
          this.metadataStrategy.getSubjectIdentifier(identifier) :
        identifier;
      const { filePath } = await this.mapper.mapUrlToFilePath(subject, false);
      const state = stateOf(filePath);
      if (isContainerIdentifier(subject)) {
        return state?.isDirectory() ? true : isSurelyAbsent(filePath, state);
      }
      return state?.isFile() ? true : isSurelyAbsent(filePath, state);
    } catch {
      return undefined;
    }
  }

  private async getAccessDocument(
    identifier: ResourceIdentifier,
    preferences: RepresentationPreferences,
  ): Promise<Representation> {
    if (await this.isThere(identifier) === false) {
      throw new NotFoundHttpError();
    }
    const state = await this.stateOf(identifier);
    const known = this.known.get(identifier.path);
    const isKnown = known && state && isSameState(known.state, state);
    const quads = isKnown ? known.quads : await this.readAccessDocument(identifier, preferences, state);
    return new BasicRepresentation(guardedStreamFrom(quads), identifier, INTERNAL_QUADS, false);
  }

  private async readAccessDocument(
    identifier: ResourceIdentifier,
    preferences: RepresentationPreferences,
    before: FileState | undefined,
  ): Promise<Quad[]> {
    this.forget(identifier.path);
    const isToBeTrusted = before && isSettled(before, new Date());
    const { data } = await super.getRepresentation(identifier, preferences);
    const quads = await collectQuads(data);
    const after = await this.stateOf(identifier);
    if (isToBeTrusted && after && isSameState(after, before)) {
      this.remember(identifier.path, { state: before, quads });
    }
    return quads;
  }

  private async stateOf(identifier: ResourceIdentifier): Promise<FileState | undefined> {
    try {
      return stateOf((await this.mapper.mapUrlToFilePath(identifier, false)).filePath);
    } catch {
      return undefined;
    }
  }

  private remember(url: string, known: KnownRules): void {
    this.forget(url);
    this.known.set(url, known);
    this.quads += known.quads.length + 1;
    for (const oldest of this.known.keys()) {
      if (this.quads <= maxQuads) {
        break;
      }
      this.forget(oldest);
    }
  }

  private forget(url: string): void {
    const known = this.known.get(url);
    if (known) {
      this.known.delete(url);
      this.quads -= known.quads.length + 1;
    }
  }
}

/**
 * Returns false when a resource is missing and was missing in the last moments: its folder does not exist, or has not
 * changed recently.
 */
function isSurelyAbsent(path: string, state?: FileState): false | undefined {
  const folder = stateOf(dirname(path));
  return state ?? (folder && !isQuiet(folder, new Date())) ? undefined : false;
}

function isForQuads({ type, ...others }: RepresentationPreferences): boolean {
  const types = Object.keys(type ?? {});
  return types.length === 1 && types[0] === INTERNAL_QUADS && Object.keys(others).length === 0;
}
