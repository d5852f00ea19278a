import { IdentifierMap, IdentifierSetMultiMap, PermissionReader } from '@solid/community-server';
import type {
  AccessMap,
  AccessMode,
  AuxiliaryStrategy,
  IdentifierStrategy,
  PermissionMap,
  PermissionReaderInput,
  ResourceIdentifier,
  ResourceSet,
} from '@solid/community-server';

const accessControlList = '.acl';

/**
 * Reads the permissions on resources without rules of their own once for all that inherit the same rules.
 *
 * WAC finds the rules of each resource by climbing to the nearest access control list. A request that creates many
 * containers would climb from each of them: quadratic in the depth. Here each ancestor is read once, and a resource
 * just below the nearest list represents all that inherit from it.
 *
 * With ACP every ancestor counts, and is read once for all. Requests under ACP, and those for access control lists, are
 * passed on unchanged.
 */
export class InheritedRulesReader extends PermissionReader {
  private readonly reader: PermissionReader;
  private readonly auxiliaryStrategy: AuxiliaryStrategy;
  private readonly resourceSet: ResourceSet;
  private readonly identifierStrategy: IdentifierStrategy;

  /**
   * @param reader - Reads permissions by climbing.
   * @param auxiliaryStrategy - Names the access control list of a resource.
   * @param resourceSet - Knows whether an access control list exists.
   * @param identifierStrategy - Names the container of a resource.
   */
  public constructor(
    reader: PermissionReader,
    auxiliaryStrategy: AuxiliaryStrategy,
    resourceSet: ResourceSet,
    identifierStrategy: IdentifierStrategy,
  ) {
    super();
    this.reader = reader;
    this.auxiliaryStrategy = auxiliaryStrategy;
    this.resourceSet = resourceSet;
    this.identifierStrategy = identifierStrategy;
  }

  public async handle({ credentials, requestedModes }: PermissionReaderInput): Promise<PermissionMap> {
    const standIns = await this.findStandIns(requestedModes);
    const asked: AccessMap = new IdentifierSetMultiMap<AccessMode>();
    for (const [ identifier, modes ] of requestedModes.entrySets()) {
      asked.add(standIns.get(identifier.path) ?? identifier, modes);
    }
    const found = await this.reader.handleSafe({ credentials, requestedModes: asked });
    const permissions: PermissionMap = new IdentifierMap();
    for (const identifier of requestedModes.distinctKeys()) {
      permissions.set(identifier, { ...found.get(standIns.get(identifier.path) ?? identifier) });
    }
    return permissions;
  }

  /** Finds the resource that represents each other resource, by path. */
  private async findStandIns(requestedModes: AccessMap): Promise<Map<string, ResourceIdentifier>> {
    const standIns = new Map<string, ResourceIdentifier>();
    for (const identifier of requestedModes.size > 1 ? requestedModes.distinctKeys() : []) {
      if (!this.auxiliaryStrategy.isAuxiliaryIdentifier(identifier)) {
        await this.climb(identifier, standIns);
      }
    }
    return standIns;
  }

  /** Climbs to the nearest rules, or to a resource with a known stand-in, and records the stand-in of each step. */
  private async climb(identifier: ResourceIdentifier, standIns: Map<string, ResourceIdentifier>): Promise<void> {
    const passed: ResourceIdentifier[] = [];
    let at = identifier;
    while (!standIns.has(at.path) && !await this.hasOwnRules(at)) {
      passed.push(at);
      if (this.identifierStrategy.isRootContainer(at)) {
        // Without any rules, the reader decides.
        break;
      }
      at = this.identifierStrategy.getParentContainer(at);
    }
    const standIn = standIns.get(at.path) ?? passed.at(-1);
    if (standIn) {
      for (const { path } of passed) {
        standIns.set(path, standIn);
      }
    }
  }

  private async hasOwnRules(identifier: ResourceIdentifier): Promise<boolean> {
    const list = this.auxiliaryStrategy.getAuxiliaryIdentifiers(identifier)
      .find(({ path }): boolean => path.endsWith(accessControlList));
    return !list || this.resourceSet.hasResource(list);
  }
}
