import {
  ConflictHttpError,
  INTERNAL_QUADS,
  isContainerIdentifier,
  PIM,
  PreconditionFailedHttpError,
  RDF,
  readableToQuads,
} from '@solid/community-server';
import type {
  Conditions,
  PodSettings,
  Representation,
  ResourceIdentifier,
  ResourcesGenerator,
  ResourceStore,
} from '@solid/community-server';
import { seeingVersions } from '../versions/versionsSeen';

/** Dependencies of {@link createResources}. */
export interface PodParts {
  resourceStore: ResourceStore;
  podResources: ResourcesGenerator;
}

const absent: Conditions = { matchesMetadata: (metadata): boolean => metadata === undefined };

/**
 * Writes the initial resources of a pod. Existing resources are kept, so that nothing is restored when another process
 * has completed the pod meanwhile.
 */
export async function createResources({ podResources, resourceStore }: PodParts, settings: PodSettings): Promise<void> {
  for await (const { identifier, representation } of podResources.generate(settings.base, settings)) {
    try {
      if (identifier.path.endsWith('.meta')) {
        await describePod(resourceStore, settings.base, { identifier, representation });
      } else {
        await resourceStore.setRepresentation(identifier, representation, absent);
      }
    } catch (error: unknown) {
      representation.data.destroy();
      const isThere = PreconditionFailedHttpError.isInstance(error) ||
        (isContainerIdentifier(identifier) && ConflictHttpError.isInstance(error));
      if (!isThere) {
        throw error;
      }
    }
  }
}

/**
 * Writes the description of a pod's root until it declares the pod a storage, each time only over the version that was
 * read. Every container has a description from the start.
 */
async function describePod(
  store: ResourceStore,
  pod: ResourceIdentifier,
  { identifier, representation }: { identifier: ResourceIdentifier; representation: Representation },
): Promise<void> {
  await seeingVersions(async(): Promise<void> => {
    const { data } = await store.getRepresentation(identifier, { type: { [INTERNAL_QUADS]: 1 }});
    const isDescribed = (await readableToQuads(data)).countQuads(pod.path, RDF.type, PIM.Storage, null) > 0;
    if (isDescribed) {
      representation.data.destroy();
    } else {
      await store.setRepresentation(identifier, representation);
    }
  });
}
