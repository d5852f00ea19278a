import { AccessMode, IdentifierSetMultiMap } from '@solid/community-server';
import type { AuxiliaryStrategy, PermissionReader, ResourceIdentifier } from '@solid/community-server';
import type { ResourceControl } from '../grants/ResourceControl';
import type { PodOwnerStore } from '../identity/PodOwnerStore';

/**
 * Control as the server sees it: the owner of the pod, else whoever may write the access control document of the
 * resource, which is how both WAC and ACP say Control.
 */
export class CssResourceControl implements ResourceControl {
  public constructor(
    private readonly baseUrl: string,
    private readonly owners: PodOwnerStore,
    private readonly permissions: PermissionReader,
    private readonly auxiliaries: AuxiliaryStrategy,
  ) {}

  public async controls(webId: string, resource: string): Promise<boolean> {
    return await this.owners.isOwnerOfAny(webId, ancestors(resource, this.baseUrl)) || this.hasControl(webId, resource);
  }

  private async hasControl(webId: string, resource: string): Promise<boolean> {
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

function isAccessDocument({ path }: ResourceIdentifier): boolean {
  return /\.ac[lr]$/u.test(path);
}

/** The containers a resource is in, up to the root, and the resource itself when it is a container. */
function ancestors(resource: string, baseUrl: string): string[] {
  const found: string[] = [];
  for (let end = resource.lastIndexOf('/'); end >= baseUrl.length - 1; end = resource.lastIndexOf('/', end - 1)) {
    found.push(resource.slice(0, end + 1));
  }
  return found;
}
