import type { ResourceUri } from '../pods/resourceUri';
import type { WebId } from '../platform/webId';

/**
 * Control of resources now. The subject of a grant must have it at the moment the grant is used.
 */
export interface ResourceControl {
  /** Checks whether this WebID owns the pod the resource is in, or has Control by its ACL or ACR. */
  controls: (webId: WebId, resource: ResourceUri) => Promise<boolean>;
  /** The WebIDs that own the pod the resource is in. */
  ownersOf: (resource: ResourceUri) => Promise<string[]>;
}
