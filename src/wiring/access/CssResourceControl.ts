import { AccessMode, IdentifierSetMultiMap } from '@solid/community-server';
import type { AuxiliaryStrategy, PermissionReader } from '@solid/community-server';
import type { ResourceControl } from '../../grants/ResourceControl';
import { placesOf } from '../../pods/resourceUri';
import type { ResourceUri } from '../../pods/resourceUri';
import type { PodOwnerStore } from '../../identity/PodOwnerStore';
import { isAccessDocument } from '../../server/access/isAccessDocument';
import type { WebId } from '../../platform/webId';

/**
 * Control as the server defines it: the pod's owners have it, and everybody who may write the access control document
 * of the resource, in WAC as in ACP.
 */
export class CssResourceControl implements ResourceControl {
  public constructor(
    private readonly owners: PodOwnerStore,
    private readonly permissions: PermissionReader,
    private readonly auxiliaries: AuxiliaryStrategy,
  ) {}

  public async controls(webId: WebId, resource: ResourceUri): Promise<boolean> {
    return await this.owners.isOwnerOfAny(webId, placesOf(resource)) || this.hasControl(webId, resource);
  }

  public async ownersOf(resource: ResourceUri): Promise<string[]> {
    return this.owners.ownersOfAny(placesOf(resource));
  }

  private async hasControl(webId: WebId, resource: ResourceUri): Promise<boolean> {
    const identifier = this.auxiliaries.getAuxiliaryIdentifiers({ path: resource }).find(isAccessDocument);
    if (!identifier) {
      return false;
    }
    const permissions = await this.permissions.handleSafe({
      credentials: { agent: { webId }},
      requestedModes: new IdentifierSetMultiMap<AccessMode>([[ identifier, AccessMode.write ]]),
    });
    return permissions.get(identifier)?.write === true;
  }
}
