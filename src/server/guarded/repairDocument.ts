import {
  AccessMode,
  BasicRepresentation,
  guardedStreamFrom,
  IdentifierSetMultiMap,
  INTERNAL_QUADS,
} from '@solid/community-server';
import type { PermissionReader, PodSettings, ResourceIdentifier } from '@solid/community-server';
import { isAccessDocument } from '../access/isAccessDocument';
import type { PodParts } from '../files/createResources';
import type { GuardedStatements } from './DocumentGuard';
import { quadsOf } from './quadsOf';
import { isSame, selectStatements } from './statements';

/** Dependencies of {@link repairDocument}. */
export interface RepairParts extends PodParts {
  permissionReader: PermissionReader;
}

/**
 * Repairs the document of a WebID that was created with a pod: restores a missing one, corrects its guarded statements,
 * and makes it public to read. Its other statements stay. Writes nothing if nothing is wrong.
 *
 * @param settings - Settings with which the pod was made.
 */
export async function repairDocument(
  parts: RepairParts,
  settings: PodSettings,
  { expected, predicates }: GuardedStatements,
): Promise<void> {
  const { resourceStore } = parts;
  const document = { path: settings.webId.replace(/#.*$/u, '') };
  const quads = await quadsOf(resourceStore, document);
  if (quads.length === 0) {
    await generate(parts, settings, ({ path }): boolean => path === document.path);
  } else if (!isSame(selectStatements(quads, predicates), selectStatements(expected, predicates))) {
    const others = quads.filter(({ graph, predicate }): boolean =>
      graph.termType === 'DefaultGraph' && !predicates.includes(predicate.value));
    const data = guardedStreamFrom([ ...others, ...expected ]);
    await resourceStore.setRepresentation(document, new BasicRepresentation(data, document, INTERNAL_QUADS));
  }
  if (!await isPublic(parts.permissionReader, document)) {
    await generate(parts, settings, (identifier): boolean =>
      isAccessDocument(identifier) && identifier.path.startsWith(document.path));
  }
}

/** Writes some of the initial resources of a pod. */
async function generate(
  { podResources, resourceStore }: PodParts,
  settings: PodSettings,
  isMeant: (identifier: ResourceIdentifier) => boolean,
): Promise<void> {
  for await (const { identifier, representation } of podResources.generate(settings.base, settings)) {
    if (isMeant(identifier)) {
      await resourceStore.setRepresentation(identifier, representation);
    }
  }
}

async function isPublic(reader: PermissionReader, resource: ResourceIdentifier): Promise<boolean> {
  const requestedModes = new IdentifierSetMultiMap<AccessMode>([[ resource, AccessMode.read ]]);
  return (await reader.handleSafe({ credentials: {}, requestedModes })).get(resource)?.read === true;
}
