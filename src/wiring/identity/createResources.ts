import { ConflictHttpError, isContainerIdentifier, PreconditionFailedHttpError } from '@solid/community-server';
import type { Conditions, PodSettings, ResourcesGenerator, ResourceStore } from '@solid/community-server';

/** Dependencies of {@link createResources}. */
export interface PodParts {
  resourceStore: ResourceStore;
  podResources: ResourcesGenerator;
}

const absent: Conditions = { matchesMetadata: (metadata): boolean => metadata === undefined };

/**
 * Writes the resources that a pod begins with. What is there stays as it is, but for the description of the pod:
 * whoever goes on with a pod that another process has finished meanwhile puts nothing back.
 */
export async function createResources({ podResources, resourceStore }: PodParts, settings: PodSettings): Promise<void> {
  for await (const { identifier, representation } of podResources.generate(settings.base, settings)) {
    try {
      // Every container has a description as soon as it is there.
      const conditions = identifier.path.endsWith('.meta') ? undefined : absent;
      await resourceStore.setRepresentation(identifier, representation, conditions);
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
