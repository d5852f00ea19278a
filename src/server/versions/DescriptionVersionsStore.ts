import {
  DC,
  guardedStreamFrom,
  NotFoundHttpError,
  PassthroughStore,
  readableToQuads,
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

/**
 * Gives a description (`.meta`) the time of the resource that it describes, and so an entity tag: that time changes
 * with either. Conditions of a change are compared with what GET returns. The server itself gives a description no tag,
 * and compares with a stored document in its place, if any.
 *
 * Belongs in front of the store that describes, below all stores that convert.
 */
export class DescriptionVersionsStore extends PassthroughStore {
  private readonly metadataStrategy: AuxiliaryStrategy;

  /**
   * @param source - The store behind it, which describes.
   * @param metadataStrategy - Recognises descriptions.
   */
  public constructor(source: ResourceStore, metadataStrategy: AuxiliaryStrategy) {
    super(source);
    this.metadataStrategy = metadataStrategy;
  }

  public override async getRepresentation(
    identifier: ResourceIdentifier,
    preferences: RepresentationPreferences,
    conditions?: Conditions,
  ): Promise<Representation> {
    const representation = await super.getRepresentation(identifier, preferences, conditions);
    if (this.metadataStrategy.isAuxiliaryIdentifier(identifier)) {
      const { path } = this.metadataStrategy.getSubjectIdentifier(identifier);
      const quads = await readableToQuads(representation.data);
      const [ modified ] = quads.getObjects(path, DC.terms.modified, null);
      if (modified?.termType === 'Literal') {
        representation.metadata.set(DC.terms.modified, modified);
      }
      representation.data = guardedStreamFrom([ ...quads ]);
    }
    return representation;
  }

  public override async setRepresentation(
    identifier: ResourceIdentifier,
    representation: Representation,
    conditions?: Conditions,
  ): Promise<ChangeMap> {
    return super.setRepresentation(identifier, representation, await this.asDescribed(identifier, conditions));
  }

  public override async modifyResource(
    identifier: ResourceIdentifier,
    patch: Patch,
    conditions?: Conditions,
  ): Promise<ChangeMap> {
    return super.modifyResource(identifier, patch, await this.asDescribed(identifier, conditions));
  }

  /** Evaluates conditions against the current description. */
  private async asDescribed(identifier: ResourceIdentifier, conditions?: Conditions): Promise<Conditions | undefined> {
    if (!conditions || !this.metadataStrategy.isAuxiliaryIdentifier(identifier)) {
      return conditions;
    }
    const described = await this.findMetadata(identifier);
    return {
      ...conditions,
      matchesMetadata: (): boolean => conditions.matchesMetadata(described),
    };
  }

  private async findMetadata(identifier: ResourceIdentifier): Promise<RepresentationMetadata | undefined> {
    try {
      const { data, metadata } = await this.getRepresentation(identifier, {});
      data.destroy();
      return metadata;
    } catch (error: unknown) {
      if (NotFoundHttpError.isInstance(error)) {
        return undefined;
      }
      throw error;
    }
  }
}
