import type { ResourceUri } from '../pods/resourceUri';
import type { WebId } from '../platform/webId';

/** Current control of resources. The subject of a grant must have control whenever the grant is used. */
export interface ResourceControl {
  /** Checks whether this WebID owns the pod of the resource, or has Control by its ACL or ACR. */
  controls: (webId: WebId, resource: ResourceUri) => Promise<boolean>;
  /** Lists the WebIDs that own the pod of the resource. */
  ownersOf: (resource: ResourceUri) => Promise<string[]>;
}
