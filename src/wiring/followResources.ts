import { AS } from '@solid/community-server';
import type { ResourceIdentifier, ResourceStore } from '@solid/community-server';
import type { Logger } from '../platform/logger';
import type { SharingService } from '../personal-data/SharingService';
import { findResourceUri } from '../pods/resourceUri';
import { messageOf } from '../platform/errors';

const changes = new Set<string>([ AS.Create, AS.Update, AS.Delete ]);

/**
 * Reports every change of a pod resource by this process to the sharing service, which notes missing or altered shared
 * data.
 *
 * @param resources - The server's resources.
 * @param sharing - Is told.
 * @param baseUrl - Of this server: an origin with a trailing slash.
 * @param logger - Hears what could not be noted.
 *
 * @returns What ends it.
 */
export function followResources(
  resources: ResourceStore,
  sharing: Pick<SharingService, 'onResourceChanged'>,
  baseUrl: string,
  logger: Logger,
): () => void {
  function onChanged({ path }: ResourceIdentifier, activity: { value: string }): void {
    const uri = changes.has(activity.value) ? findResourceUri(path, baseUrl) : undefined;
    if (uri) {
      sharing.onResourceChanged(uri).catch((error: unknown): void => {
        logger.error(`Could not follow a change of a shared resource: ${messageOf(error)}`);
      });
    }
  }
  // The server's resource store emits its changes, but its interface does not say so.
  const emitter = resources as ResourceStore & Partial<NodeJS.EventEmitter>;
  emitter.on?.('changed', onChanged);
  return (): void => {
    emitter.off?.('changed', onChanged);
  };
}
