import { BasicRepresentation, guardStream, PassthroughStore } from '@solid/community-server';
import type {
  ChangeMap,
  Conditions,
  Representation,
  ResourceIdentifier,
  ResourceStore,
} from '@solid/community-server';
import { ReceivedBody } from './ReceivedBody';

/**
 * Receives bodies in full before anything else, and so before taking any lock: a slow sender blocks nobody else and
 * loses no lock.
 *
 * Belongs above the store that takes the locks. Patches are read before it, when they are parsed.
 */
export class ReceivedBodiesStore extends PassthroughStore {
  /**
   * @param source - The store behind it.
   */
  public constructor(source: ResourceStore) {
    super(source);
  }

  public override async addResource(
    container: ResourceIdentifier,
    representation: Representation,
    conditions?: Conditions,
  ): Promise<ChangeMap> {
    return whole(representation, async(received): Promise<ChangeMap> =>
      super.addResource(container, received, conditions));
  }

  public override async setRepresentation(
    identifier: ResourceIdentifier,
    representation: Representation,
    conditions?: Conditions,
  ): Promise<ChangeMap> {
    return whole(representation, async(received): Promise<ChangeMap> =>
      super.setRepresentation(identifier, received, conditions));
  }
}

/** Runs work on a representation that has arrived in full. Representations of objects come from the server itself. */
async function whole<T>(
  representation: Representation,
  work: (received: Representation) => Promise<T>,
): Promise<T> {
  const { binary, data, metadata } = representation;
  if (!binary) {
    return work(representation);
  }
  const body = await ReceivedBody.receive(data);
  try {
    return await work(new BasicRepresentation(guardStream(body.read()), metadata, binary));
  } finally {
    await body.close();
  }
}
