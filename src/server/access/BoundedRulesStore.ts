import { BasicRepresentation, INTERNAL_QUADS, PassthroughStore } from '@solid/community-server';
import type {
  ChangeMap,
  Conditions,
  Representation,
  RepresentationPreferences,
  ResourceIdentifier,
  ResourceStore,
} from '@solid/community-server';
import { readBounded } from '../readBounded';
import { isAccessDocument } from './isAccessDocument';

/** Enough for a few hundred people, each in a rule of their own. */
const maxBytes = 64 * 1024;

/**
 * Bounds the size of access rules, because they are read for each request on the resources below. Existing rules that
 * are longer give nobody access: they are sent unchanged, but not read as RDF. The owner of the pod still controls
 * them, and can replace or remove them.
 *
 * Belongs behind the stores that turn patches into documents and documents into bytes.
 */
export class BoundedRulesStore extends PassthroughStore {
  /**
   * @param source - The store behind it.
   */
  public constructor(source: ResourceStore) {
    super(source);
  }

  /** @throws HttpError 413 for access rules that are too long to be read as RDF. */
  public override async getRepresentation(
    identifier: ResourceIdentifier,
    preferences: RepresentationPreferences,
    conditions?: Conditions,
  ): Promise<Representation> {
    const representation = await super.getRepresentation(identifier, preferences, conditions);
    const isRead = isAccessDocument(identifier) && preferences.type?.[INTERNAL_QUADS] !== undefined;
    return isRead ? bounded(representation) : representation;
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
  try {
    return new BasicRepresentation(await readBounded(data, maxBytes, 'Access rules'), metadata);
  } catch (error: unknown) {
    // A stream from a file or the database keeps its lock until it is closed.
    data.destroy();
    throw error;
  }
}
