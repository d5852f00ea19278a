import { BasicRepresentation, PassthroughStore } from '@solid/community-server';
import type { ChangeMap, Conditions, Representation, ResourceIdentifier, ResourceStore } from '@solid/community-server';
import { readBounded } from '../readBounded';
import { isAccessDocument } from './isAccessDocument';

/** Some hundreds of people, each in a rule of their own. */
const maxBytes = 64 * 1024;

/**
 * Keeps access rules short: they are read for each request to what they are about, whoever sends it.
 *
 * Stands where patches have become whole documents, and documents bytes.
 */
export class BoundedRulesStore extends PassthroughStore {
  /**
   * @param source - The store behind it.
   */
  public constructor(source: ResourceStore) {
    super(source);
  }

  /** @throws HttpError 413 for access rules that are too long. */
  public override async setRepresentation(
    identifier: ResourceIdentifier,
    representation: Representation,
    conditions?: Conditions,
  ): Promise<ChangeMap> {
    return super.setRepresentation(
      identifier,
      isAccessDocument(identifier) ? await bounded(representation) : representation,
      conditions,
    );
  }
}

async function bounded({ data, metadata }: Representation): Promise<Representation> {
  return new BasicRepresentation(await readBounded(data, maxBytes, 'Access rules'), metadata);
}
