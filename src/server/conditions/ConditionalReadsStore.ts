import { PassthroughStore, PreconditionFailedHttpError } from '@solid/community-server';
import type {
  Conditions,
  Representation,
  RepresentationPreferences,
  ResourceIdentifier,
  ResourceStore,
} from '@solid/community-server';
import { HttpConditions } from './HttpConditions';

/**
 * Refuses to read a resource for which `If-Match` or `If-Unmodified-Since` fails. The server itself would return 304,
 * as if the caller had the newest version.
 *
 * @see [RFC 9110, section 13.2.2](https://www.rfc-editor.org/rfc/rfc9110#section-13.2.2)
 */
export class ConditionalReadsStore extends PassthroughStore {
  /** @param source - The store behind it, which converts. */
  public constructor(source: ResourceStore) {
    super(source);
  }

  /** @throws PreconditionFailedHttpError */
  public override async getRepresentation(
    identifier: ResourceIdentifier,
    preferences: RepresentationPreferences,
    conditions?: Conditions,
  ): Promise<Representation> {
    const representation = await super.getRepresentation(identifier, preferences, conditions);
    if (conditions instanceof HttpConditions && !conditions.isCurrent(representation.metadata, true)) {
      representation.data.destroy();
      throw new PreconditionFailedHttpError();
    }
    return representation;
  }
}
