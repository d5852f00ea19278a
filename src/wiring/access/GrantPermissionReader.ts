import { IdentifierMap, PermissionReader } from '@solid/community-server';
import type { Credentials, PermissionMap, PermissionReaderInput, PermissionSet } from '@solid/community-server';
import type { GivenModes } from '../../grants/AccessDecision';
import type { ResourceUri } from '../../pods/resourceUri';
import type { DataSharing } from '../DataSharing';
import { resourceUriOf } from './resourceUriOf';
import { agentOf, rptOf } from './rpt';

/**
 * Permissions that access grants give on the content of pod resources. {@link UnitedPermissionReader} unites them with
 * those of WAC or ACP, and decides about creating and removing resources.
 */
export class GrantPermissionReader extends PermissionReader {
  private readonly dataSharing: DataSharing;
  private readonly needsToken: boolean;
  private readonly given = new WeakMap<Credentials, Map<string, GivenModes>>();

  /**
   * @param dataSharing - The service whose rule on grants decides.
   * @param needsToken - Grants count for requesting party tokens only, not for the WebID of a plain request.
   */
  public constructor(dataSharing: DataSharing, needsToken = false) {
    super();
    this.dataSharing = dataSharing;
    this.needsToken = needsToken;
  }

  public async handle(input: PermissionReaderInput): Promise<PermissionMap> {
    const permissions: PermissionMap = new IdentifierMap();
    const given = await this.modes(input);
    this.given.set(input.credentials, new Map([ ...this.givenTo(input.credentials), ...given ]));
    for (const [ path, modes ] of given) {
      if (modes.size > 0) {
        permissions.set({ path }, permissionSet(modes));
      }
    }
    return permissions;
  }

  /**
   * Returns the modes that grants gave the caller of a request, by resource; none if this reader did not decide the
   * request.
   */
  public givenTo(credentials: Credentials): ReadonlyMap<string, GivenModes> {
    return this.given.get(credentials) ?? new Map<string, GivenModes>();
  }

  private async modes({ credentials, requestedModes }: PermissionReaderInput): Promise<Map<ResourceUri, GivenModes>> {
    const { baseUrl, decision, uma } = await this.dataSharing.get();
    // The target is first, before containers created with it.
    const identifiers = [ ...requestedModes.distinctKeys() ];
    const rpt = rptOf(credentials);
    if (rpt) {
      return uma.modes(rpt, identifiers.map((identifier): ResourceUri | undefined =>
        resourceUriOf(identifier, baseUrl)));
    }
    const modes = new Map<ResourceUri, GivenModes>();
    const webId = this.needsToken ? undefined : agentOf(credentials);
    if (webId === undefined) {
      return modes;
    }
    for (const identifier of identifiers) {
      const uri = resourceUriOf(identifier, baseUrl);
      const given = uri && await decision.modes(webId, uri);
      if (!uri || !given || given.size === 0) {
        // Grants on containers cover their members: without one here, there is none on containers created inside.
        break;
      }
      modes.set(uri, given);
    }
    return modes;
  }
}

/** Write includes Append; neither reads. */
function permissionSet(modes: GivenModes): PermissionSet {
  const writes = modes.has('Write');
  const granted = { read: modes.has('Read'), append: writes || modes.has('Append'), write: writes };
  // The server treats an explicit false as a refusal that no other reader can overrule.
  return Object.fromEntries(Object.entries(granted).filter(([ , value ]): boolean => value));
}
