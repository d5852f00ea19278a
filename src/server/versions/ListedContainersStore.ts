import { Readable } from 'node:stream';
import {
  BasicRepresentation,
  DC,
  guardStream,
  INTERNAL_QUADS,
  isContainerIdentifier,
  LDP,
  PassthroughStore,
  POSIX,
  PREFERRED_PREFIX_TERM,
  SOLID_META,
  XSD,
} from '@solid/community-server';
import type {
  AuxiliaryStrategy,
  ChangeMap,
  Conditions,
  Patch,
  Representation,
  RepresentationMetadata,
  RepresentationPreferences,
  ResourceIdentifier,
  ResourceStore,
} from '@solid/community-server';
import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import { auxiliarySuffixes } from '../../platform/resourceNames';
import type { ListedMember, ListingState, ListingStorage } from './ListingStorage';
import { noteListing, sumOf } from './listings';
import { statementsOf } from './listingStatements';
import { removeStatementsQuickly } from './removeStatementsQuickly';

/** Options of {@link ListedContainersStore}. */
export interface ListedContainersStoreArgs {
  /** The store behind it, which lists members. */
  source: ResourceStore;
  /** Stores the resources. By default, the store behind this one makes listings, as a whole. */
  storage?: ListingStorage;
  /** The store behind all others, which makes the listings if not all of its resources are in the storage. */
  backend: ResourceStore;
  /** Names the auxiliary resources of a resource. */
  auxiliaryStrategy: AuxiliaryStrategy;
}

/**
 * Lists the members of a container one by one, while the listing is sent: memory and the time to the first byte are the
 * same for 100 and for 100,000 members. The server itself collects all of them before it responds. Listings have the
 * same statements.
 *
 * Also gives a container a new version whenever its listing changes, including when a member is replaced, which does
 * not change the container itself. Metadata of a container do not name its members, but say whether there are any.
 *
 * Belongs directly in front of the store that lists.
 */
export class ListedContainersStore extends PassthroughStore {
  private readonly storage?: ListingStorage;
  private readonly auxiliaryStrategy: AuxiliaryStrategy;

  public constructor(args: ListedContainersStoreArgs) {
    super(args.source);
    removeStatementsQuickly();
    this.storage = args.storage?.lists(args.backend) ? args.storage : undefined;
    this.auxiliaryStrategy = args.auxiliaryStrategy;
  }

  public override async getRepresentation(
    identifier: ResourceIdentifier,
    preferences: RepresentationPreferences,
    conditions?: Conditions,
  ): Promise<Representation> {
    // Read the state first: the listing is never older.
    const state = await this.findState(identifier);
    if (state && this.storage) {
      return this.list(identifier, state, this.storage);
    }
    const representation = await super.getRepresentation(identifier, preferences, conditions);
    if (isContainerIdentifier(identifier)) {
      noteListing(representation.metadata, sumOf(representation.metadata));
    }
    return representation;
  }

  public override async addResource(
    container: ResourceIdentifier,
    representation: Representation,
    conditions?: Conditions,
  ): Promise<ChangeMap> {
    return super.addResource(container, representation, await this.withListing(container, conditions));
  }

  public override async setRepresentation(
    identifier: ResourceIdentifier,
    representation: Representation,
    conditions?: Conditions,
  ): Promise<ChangeMap> {
    return super.setRepresentation(identifier, representation, await this.withListing(identifier, conditions));
  }

  public override async modifyResource(
    identifier: ResourceIdentifier,
    patch: Patch,
    conditions?: Conditions,
  ): Promise<ChangeMap> {
    return super.modifyResource(identifier, patch, await this.withListing(identifier, conditions));
  }

  public override async deleteResource(identifier: ResourceIdentifier, conditions?: Conditions): Promise<ChangeMap> {
    return super.deleteResource(identifier, await this.withListing(identifier, conditions));
  }

  /** Represents the container as the server does, with a stream of members. */
  private async list(
    identifier: ResourceIdentifier,
    state: ListingState,
    storage: ListingStorage,
  ): Promise<Representation> {
    const metadata = await storage.getMetadata(identifier);
    await this.auxiliaryStrategy.addMetadata(metadata);
    const own = metadata.quads();
    noteListing(metadata, state);
    if (state.modified) {
      // Distinguishes a container with members from an empty one, which may be deleted.
      metadata.add(LDP.terms.contains, DataFactory.blankNode(), SOLID_META.terms.ResponseMetadata);
    }
    for (const [ prefix, { terms }] of Object.entries({ dc: DC, ldp: LDP, posix: POSIX, xsd: XSD })) {
      metadata.addQuad(terms.namespace, PREFERRED_PREFIX_TERM, prefix, SOLID_META.terms.ResponseMetadata);
    }
    const listed = statementsOf(identifier, this.listMembers(identifier, storage));
    return new BasicRepresentation(guardStream(Readable.from(inTurn(own, listed))), metadata, INTERNAL_QUADS);
  }

  private async* listMembers(
    container: ResourceIdentifier,
    storage: ListingStorage,
  ): AsyncIterableIterator<ListedMember> {
    for await (const member of storage.listMembers(container)) {
      if (!this.auxiliaryStrategy.isAuxiliaryIdentifier(member.identifier)) {
        yield member;
      }
    }
  }

  /** Evaluates conditions against the current listing. */
  private async withListing(identifier: ResourceIdentifier, conditions?: Conditions): Promise<Conditions | undefined> {
    if (!conditions || !isContainerIdentifier(identifier) || !await this.hasResource(identifier)) {
      return conditions;
    }
    const state = await this.findState(identifier) ?? await this.readState(identifier);
    return {
      ...conditions,
      matchesMetadata(metadata?: RepresentationMetadata, strict?: boolean): boolean {
        if (metadata) {
          noteListing(metadata, state);
        }
        return conditions.matchesMetadata(metadata, strict);
      },
    };
  }

  /** Returns undefined for documents, and where only the listing itself can show it. */
  private async findState(identifier: ResourceIdentifier): Promise<ListingState | undefined> {
    const hidden = auxiliarySuffixes.filter((suffix): boolean =>
      this.auxiliaryStrategy.isAuxiliaryIdentifier({ path: `${identifier.path}name${suffix}` }));
    return isContainerIdentifier(identifier) ? this.storage?.findListing(identifier, hidden) : undefined;
  }

  private async readState(identifier: ResourceIdentifier): Promise<ListingState> {
    const { data, metadata } = await super.getRepresentation(identifier, {});
    data.destroy();
    return sumOf(metadata);
  }
}

async function* inTurn(own: Quad[], listed: AsyncIterable<Quad>): AsyncIterableIterator<Quad> {
  yield* own;
  yield* listed;
}
