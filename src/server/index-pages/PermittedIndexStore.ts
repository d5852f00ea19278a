import { PassthroughStore } from '@solid/community-server';
import type {
  Conditions,
  Representation,
  RepresentationPreferences,
  ResourceIdentifier,
  ResourceStore,
} from '@solid/community-server';
import { isIndexPagePermitted } from './permittedIndexPages';

/**
 * Returns the index page of a container only to callers who may read it (see {@link IndexPageHandler}), and the
 * container to others.
 */
export class PermittedIndexStore extends PassthroughStore {
  private readonly index: ResourceStore;

  /**
   * @param source - Ignores index pages.
   * @param index - Returns index pages.
   */
  public constructor(source: ResourceStore, index: ResourceStore) {
    super(source);
    this.index = index;
  }

  public override async getRepresentation(
    identifier: ResourceIdentifier,
    preferences: RepresentationPreferences,
    conditions?: Conditions,
  ): Promise<Representation> {
    const store = isIndexPagePermitted(preferences) ? this.index : this.source;
    return store.getRepresentation(identifier, preferences, conditions);
  }
}
