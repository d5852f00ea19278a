import { AS } from '@solid/community-server';
import type { ResourceIdentifier, ResourceStore } from '@solid/community-server';
import type { Logger } from '../platform/logger';
import type { ShareUpkeep } from '../personal-data/ShareUpkeep';
import { messageOf } from '../platform/errors';
import { opened } from '../platform/opened';
import { resourceUriOf } from './access/resourceUriOf';

const changes = new Set<string>([ AS.Create, AS.Update, AS.Delete ]);

/**
 * Reports every change of a pod resource by this process to the upkeep of shares, which records missing or altered
 * shared data.
 *
 * @param resources - The server's resources.
 * @param upkeep - Receives the changes.
 * @param baseUrl - Base URL of this server: an origin with a trailing slash.
 * @param logger - Logs changes that could not be recorded.
 *
 * @returns A function that stops reporting.
 */
export function followResources(
  resources: ResourceStore,
  upkeep: Pick<ShareUpkeep, 'onResourceChanged'>,
  baseUrl: string,
  logger: Logger,
): () => void {
  function onChanged(identifier: ResourceIdentifier, activity: { value: string }): void {
    const uri = changes.has(activity.value) ? resourceUriOf(identifier, baseUrl) : undefined;
    if (uri) {
      upkeep.onResourceChanged(uri).catch((error: unknown): void => {
        logger.error(`Could not follow a change of a shared resource: ${messageOf(error)}`);
      });
    }
  }
  // The server's resource store emits its changes, but its interface does not say so.
  const emitter = opened<Partial<NodeJS.EventEmitter>>(resources);
  emitter.on?.('changed', onChanged);
  return (): void => {
    emitter.off?.('changed', onChanged);
  };
}
