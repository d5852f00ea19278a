import type { ResourceUri } from '../pods/resourceUri';

/**
 * Tells who controls a resource now: the subject of a grant must, at the moment the grant is used.
 */
export interface ResourceControl {
  /** Checks whether this WebID owns the pod the resource is in, or has Control by its ACL or ACR. */
  controls: (webId: string, resource: ResourceUri) => Promise<boolean>;
  /** The WebIDs that own the pod the resource is in. */
  ownersOf: (resource: ResourceUri) => Promise<string[]>;
}
