import { IdentifierMap, PermissionReader } from '@solid/community-server';
import type { PermissionMap, PermissionReaderInput, PermissionSet } from '@solid/community-server';
import type { AccessMode } from '../grants/AccessGrant';
import type { DataSharing } from './DataSharing';

/**
 * Permissions that access grants give on pod resources. They are united with those of WAC or ACP, and only ever add.
 */
export class GrantPermissionReader extends PermissionReader {
  private readonly dataSharing: DataSharing;

  /**
   * @param dataSharing - The service whose rule on grants decides.
   */
  public constructor(dataSharing: DataSharing) {
    super();
    this.dataSharing = dataSharing;
  }

  public async handle({ credentials, requestedModes }: PermissionReaderInput): Promise<PermissionMap> {
    const permissions: PermissionMap = new IdentifierMap();
    const webId = credentials.agent?.webId;
    if (webId === undefined) {
      return permissions;
    }
    const { decision } = await this.dataSharing.get();
    for (const identifier of requestedModes.distinctKeys()) {
      const modes = await decision.modes(webId, identifier.path);
      if (modes.size > 0) {
        permissions.set(identifier, permissionSet(modes));
      }
    }
    return permissions;
  }
}

/** Append makes new resources, Write also replaces and removes them; neither reads. */
function permissionSet(modes: ReadonlySet<AccessMode>): PermissionSet {
  const appends = modes.has('Append') || modes.has('Write');
  const writes = modes.has('Write');
  const granted = { read: modes.has('Read'), append: appends, create: appends, write: writes, delete: writes };
  // The server takes an explicit false for a refusal that no other reader can overrule.
  return Object.fromEntries(Object.entries(granted).filter(([ , value ]): boolean => value));
}
